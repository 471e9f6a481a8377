"""How a project is debugged: how long, which stages, and which rules are asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.case import PREFLIGHT, PROBE, STAGES, WATCH
from weaklink.verbs.debug.target import CaseTarget

HOME = "weaklink-case"
"""Where cases are kept where nobody says otherwise."""

SHARES = {PREFLIGHT: 0.2, PROBE: 0.4, WATCH: 0.4}
"""How the time is divided between the stages that take some."""

SHORTEST, LONGEST = 10.0, 86_400.0
STEPS = 50_000
"""Steps of the watched training where nobody says how many."""


class DebugOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` bounds the stages together, starting processes not counted; `steps` the watched training.

    The ladder of a trainer that the user wrote may take twice its share of them. `everything` goes on after a broken
    link. `settings` say which rules are asked, with which thresholds. `folder` is where the case is kept, by itself
    below `weaklink-case`; a finished stage of the same target in it is not repeated unless `fresh` asks for it.
    """

    target: CaseTarget
    folder: str | os.PathLike[str] = ""
    seconds: float = 100.0
    steps: int = 0
    seed: int = 0
    everything: bool = False
    skip: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    fresh: bool = False
    settings: RuleSettings = RuleSettings()

    @property
    def place(self) -> Path:
        """The folder of the case."""
        return Path(self.folder) if self.folder else Path(HOME) / self.target.name

    def share(self, stage: str) -> float:
        """Seconds of one stage."""
        return self.seconds * SHARES[stage]

    def wants(self, stage: str) -> bool:
        """Whether a stage is carried out."""
        return stage not in self.skip and (not self.only or stage in self.only)

    @property
    def told(self) -> dict[str, Any]:
        """The options as they are kept with a case."""
        return {"seconds": self.seconds, "steps": self.steps, "seed": self.seed, "everything": self.everything}


def check_options(options: DebugOptions) -> DebugOptions:
    """The options, their numbers and words within what makes sense."""
    if not SHORTEST <= options.seconds <= LONGEST:
        raise UsageError(f"--seconds must be at least {SHORTEST:g} and at most {LONGEST:g}, not {options.seconds:g}.")
    if not 0 <= options.steps < 2**53:
        raise UsageError(f"--steps must be at least 0, not {options.steps}. 0 leaves it to the target.")
    if not 0 <= options.seed < 2**31:
        raise UsageError(f"--seed must be at least 0 and below 2147483648, not {options.seed}.")
    for option, words in (("--skip", options.skip), ("--only", options.only)):
        for word in words:
            if word not in STAGES:
                raise UsageError(f"{option} takes one of {', '.join(STAGES)}, not '{word}'.")
    if not any(options.wants(stage) for stage in STAGES):
        raise UsageError("No stage is left: --only and --skip exclude each other.")
    return options
