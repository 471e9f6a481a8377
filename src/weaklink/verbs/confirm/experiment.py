"""An experiment that proves a finding or not, what each of its seeds gave, and the answer."""

from __future__ import annotations

import msgspec
import numpy as np

from weaklink.base.backports import StrEnum
from weaklink.base.proving import Change, Promise
from weaklink.base.stats.level import Array
from weaklink.base.viewing import ViewedResult


class ExperimentVerdict(StrEnum):
    """What an experiment says of a finding."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a finding, what is changed, what is measured, and what each answer would mean."""

    code: str
    name: str
    kind: str
    question: str
    changed: str
    measured: str
    if_confirmed: str
    if_refuted: str
    change: Change | None = None
    promise: Promise | None = None

    def means(self, verdict: ExperimentVerdict) -> str:
        """What follows from an answer; nothing where it is open."""
        return {ExperimentVerdict.CONFIRMED: self.if_confirmed, ExperimentVerdict.REFUTED: self.if_refuted}.get(
            verdict, ""
        )


class SeedResult(msgspec.Struct, frozen=True, kw_only=True):
    """One seed of one arm. `fired` is None where the rule could not tell, and `told` then says why.

    `late` says that its time was up before it had made all of its steps.
    """

    seed: int
    fired: bool | None = None
    told: str = ""
    values: dict[str, float] = {}
    evidence: tuple[tuple[str, float, float | None], ...] = ()
    failure: str = ""
    steps: int = 0
    seconds: float = 0.0
    late: bool = False


class ExperimentArm(msgspec.Struct, frozen=True, kw_only=True):
    """Trainings, surveys or fits that differ in their seed alone."""

    name: str
    tried: tuple[SeedResult, ...] = ()

    @property
    def whole(self) -> tuple[SeedResult, ...]:
        """Those that came to their end."""
        return tuple(one for one in self.tried if not one.failure)

    @property
    def judged(self) -> tuple[SeedResult, ...]:
        """Those in which the rule could tell."""
        return tuple(one for one in self.whole if one.fired is not None)

    @property
    def fired(self) -> int:
        """In how many of those the finding is there."""
        return sum(one.fired is True for one in self.judged)

    @property
    def lengths(self) -> dict[int, int]:
        """The steps that each seed made which came to its end."""
        return {one.seed: one.steps for one in self.whole}

    def of(self, metric: str) -> Array:
        """A metric, one number a seed."""
        return np.array([one.values[metric] for one in self.whole if metric in one.values])


class ArmDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A metric in both arms: changed less as configured, with its interval (95 %) and the chance of it by luck."""

    metric: str
    then: str
    configured: float
    changed: float
    difference: float
    low: float
    high: float
    chance: float
    beyond_chance: bool


class Answer(ViewedResult, msgspec.Struct, frozen=True, kw_only=True):
    """What came of an experiment.

    `says` is the answer in one sentence, `means` what follows from it, `decides` what would decide where it is open.
    """

    experiment: Experiment
    target: str
    verdict: ExperimentVerdict
    says: str
    means: str
    decides: str = ""
    arms: tuple[ExperimentArm, ...] = ()
    differences: tuple[ArmDifference, ...] = ()
    level: str = "warn"
    steps: int = 0
    seconds: float = 0.0
    stopped: bool = False
    notes: tuple[str, ...] = ()
