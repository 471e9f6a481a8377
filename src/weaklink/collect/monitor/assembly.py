"""A rollout of an on-policy trainer, put together from what was read of an update: none of it is what the trainer says.

Rewards and ends come from the tape, values from what the critic answered while collecting, returns from what its loss
pulled each value towards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.rollout import UPDATED, Array, Estimates, Rollout
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, HeadCall, Tape, UpdateReading
from weaklink.base.reference.advantages import gae

FEWEST_ROWS = 32
"""Rows of a rollout below which nothing is made of it."""

FEWEST_KNOWN = 0.95
"""The share of rows whose target must be known; a clipped loss is silent about some."""


@dataclass(frozen=True, slots=True, eq=False)
class CollectedSteps:
    """A rollout by time and member, (T, N) each; NaN where a number is not known.

    Attributes:
        values: what the critic said of each observation while collecting.
        next_values: what it said of the one that followed.
        targets: what its loss pulled each value towards.
    """

    rewards: Array
    terminated: Array
    truncated: Array
    values: Array
    next_values: Array
    targets: Array

    @property
    def ended(self) -> Array:
        """Where an episode ended."""
        return np.asarray(self.terminated | self.truncated)


def assemble_rollout(reading: UpdateReading, step: float, config: Mapping[str, Any]) -> Rollout | None:
    """The rollout of an update that was read; None where its critic's targets could not be read."""
    steps = collect_steps(reading)
    if steps is None:
        return None
    known = np.isfinite(steps.targets) & np.isfinite(steps.values)
    if known.size < FEWEST_ROWS or known.mean() < FEWEST_KNOWN or not np.isfinite(steps.values).all():
        return None
    fitted = fit_discounts(steps)
    told = Config.of(dict(config)).values
    gamma = _read_number(told.get("gamma"), None if fitted is None else fitted[0])
    lam = _read_number(told.get("gae_lambda"), None if fitted is None else fitted[1])
    estimates = Estimates(
        rewards=steps.rewards,
        values=steps.values,
        terminated=steps.terminated,
        truncated=steps.truncated,
        last_value=_read_last(steps),
        final_values=_read_finals(steps),
        gamma=gamma,
        lam=lam,
        returns=_fill(steps, gamma, lam),
    )
    return Rollout(
        step=step,
        update=reading.update,
        moment=UPDATED,
        algorithm=str(config.get("algorithm", "")),
        family="on-policy",
        estimates=estimates,
        notes=reading.left_out,
    )


def collect_steps(reading: UpdateReading) -> CollectedSteps | None:
    """Rewards, ends, values and targets of the rows that were learned from."""
    tape, best = reading.tape, None
    for head in reading.heads:
        calls = reading.of_head(head)
        if calls[0].outputs.shape[1] == 1:
            targets = fit_targets(calls, tape.rows)
            if targets is not None and (best is None or np.isfinite(targets).sum() > np.isfinite(best[1]).sum()):
                best = head, targets
    if best is None:
        return None
    head, targets = best
    learnt = np.unique(np.concatenate([call.rows for call in reading.of_head(head)]))
    learnt = learnt[learnt != UNMATCHED]
    times = slice(int(learnt[0]) // tape.members, int(learnt[-1]) // tape.members + 1)
    values, following = read_values(reading.answers, head, tape)

    def cut(numbers: Array) -> Array:
        return numbers.reshape(tape.times, tape.members)[times]

    return CollectedSteps(*map(cut, (tape.rewards, tape.terminated, tape.truncated, values, following, targets)))


def read_values(answers: tuple[HeadAnswer, ...], head: str, tape: Tape) -> tuple[Array, Array]:
    """What a head said of each observation of the tape while collecting, and of the one that followed."""
    values, following = np.full(tape.rows, np.nan), np.full(tape.rows, np.nan)
    for answer in answers:
        if answer.head == head and answer.when == COLLECTING and answer.outputs.shape[1] == 1:
            for rows, into in ((answer.rows, values), (answer.next_rows, following)):
                found = rows != UNMATCHED
                into[rows[found]] = answer.outputs[found, 0]
    # the observation that follows is the next row's, unless the next row begins another episode
    later = np.concatenate([values[tape.members :], np.full(tape.members, np.nan)])
    same = np.zeros(tape.rows, bool)
    same[: -tape.members] = np.all(tape.next_observations[: -tape.members] == tape.observations[tape.members :], axis=1)
    return values, np.where(np.isnan(following) & same, later, following)


def fit_targets(calls: tuple[HeadCall, ...], rows: int) -> Array | None:
    """What a square loss pulls each row's value towards, from rows that came back with another value."""
    place = np.concatenate([call.rows for call in calls])
    values = np.concatenate([call.outputs[:, 0] for call in calls]).astype(np.float64)
    asked = np.concatenate([call.gradients[:, 0] * len(call.rows) for call in calls]).astype(np.float64)
    kept = (place != UNMATCHED) & (asked != 0.0)
    place, values, asked = place[kept], values[kept], asked[kept]
    counts = np.bincount(place, minlength=rows)
    if not len(place) or (counts > 1).sum() < FEWEST_ROWS:
        return None

    def centre(numbers: Array) -> Array:
        return np.asarray(numbers - (np.bincount(place, numbers, minlength=rows) / np.maximum(counts, 1))[place])

    apart, pulled = centre(values), centre(asked)
    weight = float(np.sum(apart * pulled)) / max(float(np.sum(apart**2)), 1e-30)
    left = pulled - weight * apart
    if weight <= 0.0 or float(np.sum(left**2)) > 1e-4 * float(np.sum(pulled**2)):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.bincount(place, values - asked / weight, minlength=rows) / counts)


def fit_discounts(steps: CollectedSteps) -> tuple[float, float] | None:
    """Gamma and lambda: wherever an episode goes on, a target is the reward plus a mix of the next value and target."""
    inner = ~steps.ended[:-1] & np.isfinite(steps.targets[:-1]) & np.isfinite(steps.targets[1:])
    if inner.sum() < FEWEST_ROWS:
        return None
    columns = np.stack([steps.values[1:][inner], (steps.targets - steps.values)[1:][inner]], axis=1)
    wanted = (steps.targets - steps.rewards)[:-1][inner]
    factors, *_ = np.linalg.lstsq(columns, wanted, rcond=None)
    left = wanted - columns @ factors
    if float(np.sqrt(np.mean(left**2))) > 1e-3 * float(np.std(steps.targets[np.isfinite(steps.targets)])):
        return None
    gamma, product = float(factors[0]), float(factors[1])
    return (gamma, product / gamma) if gamma > 0.0 else None


def _read_number(told: Any, fitted: float | None) -> float | None:
    return float(told) if isinstance(told, int | float) and not isinstance(told, bool) else fitted


def _read_last(steps: CollectedSteps) -> Array | None:
    last = np.where(steps.ended[-1], 0.0, steps.next_values[-1])
    return last if np.isfinite(last).all() else None


def _read_finals(steps: CollectedSteps) -> Array | None:
    """Values of the last observations of episodes; None where the critic was not asked about one that was cut."""
    finals = np.where(steps.truncated, steps.next_values, 0.0)
    return finals if steps.truncated.any() and np.isfinite(finals).all() else None


def _fill(steps: CollectedSteps, gamma: float | None, lam: float | None) -> Array:
    """The targets; where one is not known, the right one takes its place, so that the row accuses nobody."""
    missing = ~np.isfinite(steps.targets)
    if not missing.any() or gamma is None or lam is None:
        return np.where(missing, steps.values, steps.targets)
    last, finals = _read_last(steps), _read_finals(steps)
    right = gae(
        steps.rewards,
        steps.values,
        steps.terminated,
        steps.truncated,
        0.0 if last is None else last,
        gamma,
        lam,
        finals,
    )
    return np.where(missing, right + steps.values, steps.targets)
