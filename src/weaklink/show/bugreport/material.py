"""What a bug report is made of. Only what is named here can get into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.survey import Survey
from weaklink.judge.diagnosis.checklists import Item
from weaklink.judge.diagnosis.diagnosis import Diagnosis


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One thing that was judged: a run, an environment, a trainer. `about` says which, in a few words."""

    about: str
    diagnosis: Diagnosis
    run: Run | None = None


@dataclass(frozen=True, kw_only=True)
class Material:
    """All that is known.

    `versions` are those of this machine, `context` what a recording says of its own (versions, seeds, command,
    commit). `tried` tells in sentences what was done already and what came of it, `commands` how to do it again.
    `names` are words to hide wherever they stand.
    """

    name: str = ""
    judgements: tuple[Judgement, ...] = ()
    survey: Survey | None = None
    checklists: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    framework: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    acceleration: Mapping[str, str] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    tried: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs among what was judged."""
        return tuple(one.run for one in self.judgements if one.run is not None)
