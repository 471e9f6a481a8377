"""A critic that learns from a few steps at a time: many small rollouts, each passed once, read together.

Each of them is a column beside the others, so that what follows a row is known wherever another row of the same rollout
does. There everything that a target may be made of is a column of one line:

`target = scale * reward + a * next value + b * next advantage + c * value of the last observation`

One-step targets have a alone, sums of rewards with a bootstrap at the end have a and b, and both have no c: what lies
behind the rollout reaches a row through the next one. The loss itself (`target = value - gradient / weight`) is one
more factor, and a reward that never changes is an offset. With the weight all targets are known, those at ends too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.continuing import read_ends
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.lines import VISIBLE, fit_mostly, measure_rounding, measure_spread
from weaklink.collect.monitor.reading.mistakes import name_mistake, name_scale
from weaklink.collect.monitor.reading.state_values import SQUARE
from weaklink.collect.monitor.reading.tape_rows import count_steps_before, find_cuts

FEWEST_ROLLOUTS, FEWEST_ROWS = 4, 32
"""Small rollouts, and rows of them that another follows, from which on factors are known."""

CLEAR = 0.005
"""A factor below this is none: far above rounding, a quarter of what a bootstrap that is discounted once leaves."""

NEARLY_ALL = 0.99

MOSTLY_FRESH = 0.3
"""The share of updates that learn from new rows alone in a loop that learns from what it has just collected: in replay
there is none."""

VALUE, ASKED, AFTER, ASKED_AFTER, BEHIND_IT, LIKELY, LIKELY_AFTER, REWARD = range(8)
"""The columns: a value, its gradient, both of the next row, the value behind the rollout, the log-probability of the
action taken, that of the next row, the reward."""

PLAIN = "next row"
ONE_NEXT = "last observation of the minibatch as the next one of every row"
BEHIND = "value of the last observation of the minibatch added to every row"
ONCE = "bootstrap discounted once instead of n times"
ATTACHED = "advantage not detached in the policy's loss"

MODELS = {
    ONE_NEXT: (ASKED, BEHIND_IT, REWARD),
    PLAIN: (ASKED, AFTER, ASKED_AFTER, REWARD),
    BEHIND: (ASKED, AFTER, ASKED_AFTER, BEHIND_IT, REWARD),
    ATTACHED: (ASKED, AFTER, ASKED_AFTER, LIKELY, LIKELY_AFTER, REWARD),
}
"""What a target is made of, the simplest first: one number for all rows of a rollout fits the others too."""


@dataclass(frozen=True, slots=True, eq=False)
class ShortRollouts:
    """Rollouts side by side, their last steps in one line; columns of shorter ones begin with NaN.

    Attributes:
        steps: (T, N) a column each; targets are not known.
        asked: (T, N) the gradient at the values, times the rows of the minibatch.
        log_probs: (T, N) of the action that was taken, by the policy that learns; NaN where nobody knows.
    """

    steps: TapeSteps
    asked: Array
    log_probs: Array


def recover_short(
    reading: UpdateReading, calls: Sequence[HeadCall], log_probs: Array
) -> tuple[RecoveredValues, TapeSteps | None] | None:
    """Reads a critic that was asked again after every few steps; None where it was not, or nothing fits.

    Args:
        reading: of the update.
        calls: of the critic.
        log_probs: (rows of the tape,) of the actions, by the policy that learns; NaN where nobody knows.
    """
    if len({call.stamp for call in calls}) < FEWEST_ROLLOUTS:
        return None
    rollouts = _stack(reading, calls, log_probs)
    if rollouts is None:
        return None
    for model, taken in MODELS.items():
        fit = _fit(_list_columns(rollouts), taken)
        if fit is not None:
            return _describe(calls[0].head, model, rollouts, *fit)
    wrong = name_mistake(rollouts.steps, {}, rollouts.asked)
    if wrong is None:
        return None
    return RecoveredValues(head=calls[0].head, kind=STATE_VALUES, source=wrong[0], unexplained=wrong[1]), None


def count_stale(reading: UpdateReading) -> tuple[int, int]:
    """How many rows a loop of short rollouts learned from, and how many of an earlier rollout; none for other loops.

    Such a loop learns from what it has just collected: at least every second of its updates from that alone.
    """
    fresh = find_fresh(reading)
    heads = [[place for place, call in enumerate(reading.calls) if call.head == head] for head in reading.heads]
    widest = max(heads, key=lambda places: sum(len(fresh[place]) for place in places), default=[])
    several = len({reading.calls[place].stamp for place in widest}) >= FEWEST_ROLLOUTS
    whole = [bool(fresh[place].all()) for place in widest]
    if not several or np.mean(whole) < MOSTLY_FRESH:
        return 0, 0
    return sum(len(fresh[place]) for place in widest), sum(int((~fresh[place]).sum()) for place in widest)


def find_fresh(reading: UpdateReading) -> list[Array]:
    """For each call, which of its rows were collected after all that was learned before; unknown rows count as such."""
    collected = count_steps_before(reading)
    begun: dict[int, int] = {}
    for call in reading.calls:
        begun[call.stamp] = min(begun.get(call.stamp, call.step), call.step)
    return [(call.rows == UNMATCHED) | (collected[call.rows] >= begun[call.stamp]) for call in reading.calls]


def _fit(columns: Array, taken: tuple[int, ...]) -> tuple[Array, float] | None:
    """The factors of some columns, 0 for all others, and what they leave; None where that is more than nothing."""
    columns = columns[np.isfinite(columns[:, taken]).all(axis=1)]
    if len(columns) < FEWEST_ROWS:
        return None
    wanted, rewards = columns[:, VALUE], columns[:, REWARD]
    if float(np.ptp(rewards)) == 0.0:
        columns = np.concatenate([columns[:, :REWARD], np.ones((len(columns), 1))], axis=1)
    table = columns[:, taken]
    allowed = 0.1 * VISIBLE * measure_spread(wanted) + measure_rounding(table, wanted)
    found = fit_mostly(table, wanted, allowed)
    if found is None or np.mean(np.abs(found[1]) <= allowed) < NEARLY_ALL or found[0][0] == 0.0:
        return None
    factors = np.zeros(columns.shape[1])
    factors[list(taken)] = found[0]
    return factors, float(np.sqrt(np.mean(found[1] ** 2))) / max(measure_spread(wanted), 1e-30)


def _describe(
    head: str, model: str, rollouts: ShortRollouts, factors: Array, left: float
) -> tuple[RecoveredValues, TapeSteps | None] | None:
    inverse, gamma, carried, behind = (float(each) for each in factors[ASKED:LIKELY])
    rate = behind if model == ONE_NEXT else gamma
    if not CLEAR < rate < 1.0 + CLEAR:
        return None
    lam = None if model == ONE_NEXT else -carried / inverse / gamma
    found = RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=SQUARE,
        weight=1.0 / inverse,
        unexplained=left,
        gamma=rate,
        lam=lam,
        source=_name_source(model, factors, rollouts),
    )
    if found.source:
        return found, None
    scale = float(factors[REWARD]) if rollouts.steps.rewards_differ else 1.0
    steps = replace(
        rollouts.steps,
        rewards=scale * rollouts.steps.rewards,
        targets=rollouts.steps.values - inverse * rollouts.asked,
    )
    return replace(found, ends=read_ends(steps, rate, lam)), steps


def _name_source(model: str, factors: Array, rollouts: ShortRollouts) -> str:
    """What is wrong with the targets; empty where nothing is."""
    gamma, behind, scale = (float(factors[each]) for each in (AFTER, BEHIND_IT, REWARD))
    if model == BEHIND and abs(behind - gamma * (1.0 - gamma)) < CLEAR:
        return ONCE
    if model == PLAIN:
        return name_scale(scale) if rollouts.steps.rewards_differ else ""
    return model


def _list_columns(rollouts: ShortRollouts) -> Array:
    """(n, columns) of the rows that another row of their rollout follows."""
    steps = rollouts.steps
    whole = ~steps.ended.any(axis=0) & np.isfinite(steps.next_values[-1])
    behind = np.where(whole, steps.next_values[-1], np.nan)
    columns = (
        steps.values,
        rollouts.asked,
        steps.shift(steps.values),
        steps.shift(rollouts.asked),
        np.broadcast_to(behind, steps.values.shape),
        rollouts.log_probs,
        steps.shift(rollouts.log_probs),
        steps.rewards,
    )
    inner = ~steps.ended & np.isfinite(steps.shift(steps.values)) & np.isfinite(steps.values)
    return np.stack([column[inner] for column in columns], axis=1)


def _stack(reading: UpdateReading, calls: Sequence[HeadCall], log_probs: Array) -> ShortRollouts | None:
    """The rollouts side by side; calls with rows that are not on the tape, or that come twice in one, are left out."""
    fresh = {id(call): rows for call, rows in zip(reading.calls, find_fresh(reading), strict=True)}
    runs = [run for call in calls for run in _list_runs(reading, call, fresh[id(call)])]
    if not runs:
        return None
    tape, longest = reading.tape, max(len(rows) for rows, *_ in runs)
    rows = np.full((longest, len(runs)), UNMATCHED)
    values, asked, following = (np.full(rows.shape, np.nan) for _ in range(3))
    for place, (own, value, gradient, after) in enumerate(runs):
        start = longest - len(own)
        rows[start:, place], values[start:, place] = own, value
        asked[start:, place], following[start:, place] = gradient, after
    there = rows != UNMATCHED
    terminated = there & np.asarray(tape.terminated, bool)[rows]
    truncated = there & (np.asarray(tape.truncated, bool) | find_cuts(tape))[rows]
    steps = TapeSteps(
        rewards=np.where(there & ~tape.fillers[rows], tape.rewards[rows], np.nan),
        values=values,
        next_values=following,
        terminated=terminated,
        truncated=truncated & ~terminated,
        targets=np.full(rows.shape, np.nan),
        rows=rows,
    )
    return ShortRollouts(steps, asked, np.where(there, log_probs[rows], np.nan))


def _list_runs(reading: UpdateReading, call: HeadCall, fresh: Array) -> Iterator[tuple[Array, Array, Array, Array]]:
    """New rows of one member that follow each other, their values, gradients and next values."""
    rows, tape = call.rows, reading.tape
    if not len(rows) or np.any(rows == UNMATCHED) or len(np.unique(rows)) < len(rows):
        return
    order = np.lexsort((rows, rows % tape.members))
    order = order[fresh[order]]
    if not len(order):
        return
    cuts = np.flatnonzero(np.diff(rows[order]) != tape.members) + 1
    behind, ended = _read_behind(reading, call), np.asarray(tape.terminated | tape.truncated, bool)
    for own in np.split(order, cuts):
        values, asked = call.outputs[own, 0].astype(np.float64), call.gradients[own, 0] * float(len(rows))
        next_row = np.where(ended[rows[own]], np.nan, np.append(values[1:], np.nan))
        asked_for = np.array([behind.get(int(row), np.nan) for row in rows[own]])
        yield rows[own], values, asked, np.where(np.isfinite(asked_for), asked_for, next_row)


def _read_behind(reading: UpdateReading, call: HeadCall) -> dict[int, float]:
    """What the critic answered, for the same optimizer step, of the observations that followed rows of the tape."""
    found: dict[int, float] = {}
    for answer in reading.answers:
        if answer.head == call.head and answer.step == call.step and answer.outputs.shape[1] == 1:
            known = np.flatnonzero(answer.next_rows != UNMATCHED)
            found.update({int(answer.next_rows[each]): float(answer.outputs[each, 0]) for each in known})
    return found
