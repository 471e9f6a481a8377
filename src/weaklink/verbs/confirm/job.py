"""One thing to be done in a process of its own, and what comes of it."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.base.evidence.critic import CriticFit
from weaklink.base.proving import Change
from weaklink.verbs.confirm.experiment import SeedResult
from weaklink.verbs.debug.target import CaseTarget

LOOK, TRAIN, CRITIC = "look", "train", "critic"
REQUEST, REPLY, PRINTED, RECORDING = "request.json", "reply.msgpack", "printed.txt", "recording"


class ExperimentJob(msgspec.Struct, frozen=True, kw_only=True):
    """`look` says what parts a target has; `train` trains it once, watched; `critic` fits the critic alone after that.

    `code` is the rule to ask about the recording, `measures` are the metrics to take from it and how.
    """

    kind: str
    target: CaseTarget
    code: str = ""
    steps: int = 0
    seed: int = 0
    seconds: float = 60.0
    change: Change | None = None
    measures: tuple[tuple[str, str], ...] = ()
    rows: int = 0


class TargetParts(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a target, the steps that it says to watch, and its hyper-parameters where it states them."""

    parts: tuple[str, ...] = ()
    steps: int = 0
    components: tuple[str, ...] = ()
    goal_metric: str = ""
    config: dict[str, Any] = {}

    @property
    def trains(self) -> bool:
        """Whether there is something to train."""
        return "make_model" in self.parts or "train" in self.parts


class JobOrder(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which job to do, or to `end`; `frameworks` are loaded first where they are needed."""

    folder: str
    frameworks: bool = False
    end: bool = False


class JobEnded(msgspec.Struct, frozen=True):
    """The job of this folder ended, with the exit status of its process or the negative number of a signal."""

    folder: str
    status: int


class JobReply(msgspec.Struct, frozen=True, kw_only=True):
    """One of: it cannot be done, what a target has, a training, a critic."""

    unusable: str = ""
    found: TargetParts | None = None
    tried: SeedResult | None = None
    critic: CriticFit | None = None
    late: bool = False
