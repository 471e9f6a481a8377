"""What would prove a finding: one variable that is changed, and what must then happen."""

from __future__ import annotations

from typing import Literal

import msgspec

FALLS, RISES, MOVES = "falls", "rises", "moves"
LATE, MEAN, SPREAD, LOWEST = "late", "mean", "spread", "lowest"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One variable and what becomes of it: multiplied (`times`) or set (`to`).

    `setting` is a hyper-parameter by the name that Stable-Baselines3 gives it, or `reward_scale` or
    `normalise_observations`, which wrap the environment.
    """

    setting: str
    times: float | None = None
    to: float | bool | None = None

    @property
    def words(self) -> str:
        """`learning_rate x 0.1`, `ent_coef = 0.02`."""
        if self.times is not None:
            return f"{self.setting} x {self.times:.4g}"
        return f"{self.setting} = {'none' if self.to is None else format(self.to, 'g')}"


class Promise(msgspec.Struct, frozen=True, kw_only=True):
    """Which metric must move which way; the first of `metrics` that both arms recorded is taken.

    `level` is what it must get beyond, where the rule's page says so. `measure` is the level of the last third of the
    run (`late`), the mean over the run (`mean`), the scatter about its course (`spread`) or the least value (`lowest`).
    A policy that died of too large a step has a KL of 0 ever after, so a KL is promised by its mean.
    """

    metrics: tuple[str, ...]
    then: str
    level: float | None = None
    measure: str = LATE


ENTROPY = ("exploration.relative_entropy", "exploration.entropy")
"""Entropy as a share of its largest value where that is recorded, the bare number otherwise."""

ENTROPY_RISES = Promise(metrics=ENTROPY, then=RISES)
RETURN_RISES = Promise(metrics=("reward.episode_return",), then=RISES)


class Intervention(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Trainings as configured beside trainings with one change, and what each answer would mean.

    `also` is compared beside the promise. With `sized_by_finding` the finding itself names the size of the change.
    """

    change: Change
    promise: Promise
    if_confirmed: str
    if_refuted: str
    also: tuple[Promise, ...] = ()
    sized_by_finding: bool = False


class OneRung(msgspec.Struct, frozen=True, tag=True):
    """The rung of the probe ladder that needs what the finding puts in doubt, climbed alone."""

    rung: str


Procedure = Literal["the critic alone", "a learning rate of 0"]
"""Experiments that are the same for every rule that names them."""

ProvenBy = Intervention | OneRung | Procedure
"""How a rule's finding is proven or refuted."""
