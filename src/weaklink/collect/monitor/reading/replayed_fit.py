"""A fit of replayed rows with what it was made with, and their targets beside what these should be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.flaw_kinds import ENTROPY_SIGN, REWARD_LAG, REWARD_LOST, REWARD_SIGN, UNCORRECTED_LOG_PROB
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array, Targets
from weaklink.base.evidence.update import Tape
from weaklink.collect.monitor.reading.action_values import OneStepFit
from weaklink.collect.monitor.reading.lines import VISIBLE, measure_spread
from weaklink.collect.monitor.reading.next_values import NextValues
from weaklink.collect.monitor.reading.rewards import are_transformed
from weaklink.collect.monitor.reading.values import FEWEST

FEWEST_ENDS = 3
"""Terminals that must show one discount."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplayedFit:
    """A fit, and what it was made with.

    Attributes:
        log_probs: of the next actions, as they stand in the line.
        uncorrected: whether they leave out what squashing does to them.
        temperature: that they are weighed with already, on average.
        reward_lag: the step whose reward was taken, 0 for the row's own.
        weights: (n,) of the rows and (n,) their errors, where rows have weights of their own.
        tells_scale: whether the reward's factor is known: 1, or one that rewards differ enough to tell from an offset.
    """

    fit: OneStepFit
    log_probs: Array | None = None
    uncorrected: bool = False
    temperature: float = 1.0
    reward_lag: int = 0
    tells_scale: bool = True
    weights: tuple[Array, Array] | None = None

    def store_rewards(self, rewards: Array, rows: Array) -> Array:
        """(T * N,) the rewards that targets were made of; where nearly all are one number, no other one is known."""
        made = self.fit.scale * rewards + self.fit.shift
        return np.asarray(made if self.tells_scale else np.where(rewards == np.median(rewards[rows]), made, np.nan))

    def list_flaws(self, head: str) -> Iterator[RecoveredFlaw]:
        """What is wrong with what it was made with."""
        soft = 0.0 if self.fit.soft is None else self.fit.soft * self.temperature
        scale = self.fit.scale if self.tells_scale else 1.0
        lost = abs(scale) < VISIBLE
        kinds = {
            REWARD_LAG: self.reward_lag,
            REWARD_SIGN: 0.0 if lost else max(-scale, 0.0),
            REWARD_LOST: lost,
            ENTROPY_SIGN: max(-soft, 0.0),
            UNCORRECTED_LOG_PROB: self.uncorrected,
        }
        count = int(np.isfinite(self.fit.targets).sum())
        for kind, number in kinds.items():
            if number:
                yield RecoveredFlaw(kind=kind, head=head, count=count, of=count, number=float(number))


def make_targets(
    tape: Tape,
    rows: Array,
    ahead: NextValues,
    made: ReplayedFit,
    gamma: float | None,
) -> Targets | None:
    """The batch as rules judge it.

    Rows without a target, at the limit of a Huber loss, are left out, and time limits behind which nothing is known.
    """
    fit, log_probs = made.fit, made.log_probs
    kept = np.isfinite(fit.targets) & (True if log_probs is None else np.isfinite(log_probs))
    kept &= np.asarray(tape.known | tape.terminated | ~tape.truncated, bool)[rows]
    if kept.sum() < FEWEST or not ahead.right or not abs(fit.gamma) < 1.0 + VISIBLE:
        return None
    source = fit.source if fit.source in ahead.right else next(iter(ahead.right))
    inverted = _fit_end_discount(tape, rows, fit.targets, ahead) if abs(fit.gamma) <= VISIBLE else None
    source, rate = inverted or (source, abs(fit.gamma))
    implied = fit.targets - fit.gamma * np.where(tape.terminated[rows], 0.0, {**ahead.right, **ahead.wrong}[fit.source])
    changed = are_transformed(tape.rewards[rows], implied, VISIBLE * measure_spread(fit.targets))

    def soften(values: Array) -> Array:
        less = 0.0 if log_probs is None or fit.soft is None else fit.soft * log_probs
        return np.asarray(values - less)[kept]

    return Targets(
        rewards=tape.rewards[rows][kept],
        terminated=np.asarray(tape.terminated, bool)[rows][kept],
        truncated=np.asarray(tape.truncated, bool)[rows][kept],
        next_values=soften(ahead.right[source]),
        targets=fit.targets[kept],
        gamma=rate if gamma is None else gamma,
        also_right=tuple(soften(each) for name, each in ahead.right.items() if name != source),
        mistaken={name: soften(each) for name, each in ahead.wrong.items()},
        # a temperature that learns is another at every step, and a reward may be changed on purpose
        exact=log_probs is None and made.tells_scale and not changed,
    )


def _fit_end_discount(tape: Tape, rows: Array, targets: Array, ahead: NextValues) -> tuple[str, float] | None:
    """The next values that targets go on with at terminals alone, and their discount: those of an inverted mask."""
    ends = np.asarray(tape.terminated, bool)[rows] & np.isfinite(targets)
    more = (targets - tape.rewards[rows])[ends]
    for name, following in ahead.right.items() if ends.sum() >= FEWEST_ENDS else ():
        values = following[ends]
        rate = float(values @ more) / max(float(values @ values), 1e-30)
        if rate > VISIBLE and np.abs(more - rate * values).max() <= VISIBLE * np.abs(more).max():
            return name, rate
    return None
