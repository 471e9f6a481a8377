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

from weaklink.base.evidence.flaw_kinds import CUT_REWARDS
from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.attached import find_discount
from weaklink.collect.monitor.reading.continuing import read_ends
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.fresh_rows import find_fresh
from weaklink.collect.monitor.reading.lines import VISIBLE, fit_mostly, measure_rounding, measure_spread
from weaklink.collect.monitor.reading.mistakes import FLIPPED, name_mistake, name_scale
from weaklink.collect.monitor.reading.moved_rewards import measure_part
from weaklink.collect.monitor.reading.other_rewards import describe_other, list_other_rewards
from weaklink.collect.monitor.reading.reward_scales import list_reductions
from weaklink.collect.monitor.reading.rewards import is_unpaid
from weaklink.collect.monitor.reading.state_values import SQUARE
from weaklink.collect.monitor.reading.tape_rows import find_cuts

FEWEST_ROLLOUTS, FEWEST_ROWS = 4, 32
"""Small rollouts that tell what a loop does with each, and rows that another follows that tell factors."""

CLEAR = 0.005
"""A factor below this is none: far above rounding, a quarter of what a bootstrap that is discounted once leaves."""

NEARLY_ALL = 0.99

VALUE, ASKED, AFTER, ASKED_AFTER, BEHIND_IT, LIKELY, LIKELY_AFTER, BEFORE, ASKED_BEFORE, REWARD = range(10)
"""The columns: a value, its gradient, both of the next row, the value behind the rollout, the log-probability of the
action taken, that of the next row, value and gradient of the row before in the same episode, the reward."""

PLAIN = "next row"
ONE_NEXT = "last observation of the minibatch as the next one of every row"
BEHIND = "value of the last observation of the minibatch added to every row"
ONCE = "bootstrap discounted once instead of n times"
ATTACHED = "advantage not detached in the policy's loss"
FORWARDS = "time not reversed"

MODELS = {
    ONE_NEXT: (ASKED, BEHIND_IT, REWARD),
    PLAIN: (ASKED, AFTER, ASKED_AFTER, REWARD),
    BEHIND: (ASKED, AFTER, ASKED_AFTER, BEHIND_IT, REWARD),
    ATTACHED: (ASKED, AFTER, ASKED_AFTER, LIKELY, LIKELY_AFTER, REWARD),
    FORWARDS: (ASKED, BEFORE, ASKED_BEFORE, REWARD),
}
"""What a target is made of, the simplest first: one number for all rows of a rollout fits the others too."""


@dataclass(frozen=True, slots=True, eq=False)
class ShortRollouts:
    """Rollouts side by side, their last steps in one line; columns of shorter ones begin with NaN.

    Attributes:
        steps: (T, N) a column each; targets are not known.
        asked: (T, N) the gradient at the values, times the rows of the minibatch.
        log_probs: (T, N) of the action that was taken, by the policy that learns; NaN where nobody knows.
        beyond: (T, N) what the critic answered of the observation that the next row begins with; NaN where it was not
            asked for the same step.
        updates: (N,) the number of the call that each belongs to.
    """

    steps: TapeSteps
    asked: Array
    log_probs: Array
    beyond: Array
    updates: Array

    @property
    def rewards_tell(self) -> bool:
        """Whether there is more than one reward among the rows that others follow: else it is no more than an offset,
        as where only ends are paid for."""
        rewards = _list_columns(self)[0][:, REWARD]
        return len(np.unique(rewards[np.isfinite(rewards)])) > 1


def recover_short(
    reading: UpdateReading, calls: Sequence[HeadCall], log_probs: Array
) -> tuple[RecoveredValues, TapeSteps | None, tuple[RecoveredFlaw, ...]] | None:
    """Reads a critic whose rows come once each, in the order of their rollouts; None where nothing fits.

    Args:
        reading: of the update.
        calls: of the critic.
        log_probs: (rows of the tape,) of the actions, by the policy that learns; NaN where nobody knows.
    """
    rollouts = _stack(reading, calls, log_probs)
    if rollouts is None:
        return None
    columns, updates = _list_columns(rollouts)
    for model, taken in MODELS.items():
        fit = _fit(columns, taken)
        found = None if fit is None else _describe(calls[0].head, model, rollouts, *fit)
        if found is not None:
            return *found, ()
    blank = RecoveredValues(head=calls[0].head, kind=STATE_VALUES)
    other = _recover_other(reading, calls[0].head, rollouts) or _recover_cut(calls[0].head, rollouts)
    if other is not None:
        return other
    attached = find_discount(np.stack(_list_attached(columns), axis=1), updates)
    if attached is not None:
        return replace(blank, source=ATTACHED, gamma=attached[0], unexplained=attached[1]), None, ()
    wrong = name_mistake(rollouts.steps, {}, rollouts.asked)
    return None if wrong is None else (replace(blank, source=wrong[0], unexplained=wrong[1]), None, ())


def are_short(calls: Sequence[HeadCall]) -> bool:
    """Whether a critic was asked again after every few steps."""
    return len({call.stamp for call in calls}) > 1


def are_single(calls: Sequence[HeadCall]) -> bool:
    """Whether a critic learns from one step at a time, right after it."""
    return are_short(calls) and all(len(call.rows) <= 1 for call in calls)


def _recover_other(
    reading: UpdateReading, head: str, rollouts: ShortRollouts
) -> tuple[RecoveredValues, None, tuple[RecoveredFlaw, ...]] | None:
    """A critic whose targets are made of the rewards of other environments; None where no such rewards fit."""
    for kind, steps in list_other_rewards(reading.tape, rollouts.steps):
        columns, _ = _list_columns(replace(rollouts, steps=steps))
        fit = _fit(columns, MODELS[PLAIN])
        if fit is not None and replace(rollouts, steps=steps).rewards_tell and fit[0][REWARD] > CLEAR:
            found = _describe(head, PLAIN, replace(rollouts, steps=steps), *fit)
            if found is not None and not found[0].source:
                return replace(found[0], ends=()), None, (describe_other(kind, head, len(columns)),)
    return None


def _recover_cut(head: str, rollouts: ShortRollouts) -> tuple[RecoveredValues, None, tuple[RecoveredFlaw, ...]] | None:
    """A critic whose targets are made of rewards that are cut off, or of their signs; None where nothing such fits."""
    for bound, share, rewards in list_reductions(rollouts.steps.rewards):
        cut = replace(rollouts, steps=replace(rollouts.steps, rewards=rewards))
        columns, _ = _list_columns(cut)
        fit = _fit(columns, MODELS[PLAIN])
        # one reward in all rows is an offset, which has its sign
        way = 1.0 if cut.rewards_tell else float(np.sign(np.nanmax(rewards)))
        found = _describe(head, PLAIN, cut, *fit) if fit is not None and way * fit[0][REWARD] > 0.0 else None
        if found is not None and not found[0].source:
            flaw = RecoveredFlaw(
                kind=CUT_REWARDS, head=head, count=len(columns), of=len(columns), number=bound, other=share
            )
            return replace(found[0], ends=()), None, (flaw,)
    return None


def _list_attached(columns: Array) -> list[Array]:
    rewarded = columns[:, VALUE] - columns[:, REWARD]
    taken = (columns[:, each] for each in (ASKED, ASKED_AFTER, AFTER, LIKELY, LIKELY_AFTER))
    return [rewarded, *taken, np.ones(len(columns))]


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
    targets = rollouts.steps.values - inverse * rollouts.asked
    if is_unpaid(rollouts.steps.rewards, rollouts.steps.values, targets):  # any discount gives these
        nothing = RecoveredValues(head=head, kind=STATE_VALUES, loss=SQUARE, weight=1.0 / inverse)
        return nothing, replace(rollouts.steps, targets=targets)
    model = PLAIN if model == BEHIND and abs(behind) < CLEAR else model
    if model == FORWARDS:  # a sum that runs forwards
        gamma, carried = float(factors[BEFORE]), float(factors[ASKED_BEFORE])
        if abs(carried + inverse * gamma) > CLEAR * abs(inverse):
            return None
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
    scale = _read_scale(rollouts, targets, float(factors[REWARD]))
    steps = replace(rollouts.steps, rewards=scale * rollouts.steps.rewards, targets=targets)
    return replace(found, ends=read_ends(steps, rate, lam, rollouts.beyond)), steps


def _read_scale(rollouts: ShortRollouts, targets: Array, factor: float) -> float:
    """What rewards are multiplied by. One reward in all rows that others follow is no more than an offset, and has the
    factor where the last rows of episodes have it too; a reward of nothing has none."""
    rewards = rollouts.steps.rewards
    if rollouts.rewards_tell:
        return factor
    ends = rollouts.steps.terminated & np.isfinite(targets)
    near = np.abs(targets[ends] - factor * rewards[ends]) <= CLEAR * np.abs(rewards[ends])
    paid = _list_columns(rollouts)[0][:, REWARD].any()
    return factor if paid and (not len(near) or float(near.mean()) >= NEARLY_ALL) else 1.0


def _name_source(model: str, factors: Array, rollouts: ShortRollouts) -> str:
    """What is wrong with the targets; empty where nothing is."""
    gamma, behind, scale = (float(factors[each]) for each in (AFTER, BEHIND_IT, REWARD))
    if model == BEHIND and abs(behind - gamma * (1.0 - gamma)) < CLEAR:
        return ONCE
    if model == PLAIN and not rollouts.rewards_tell:
        return FLIPPED if _is_flipped(rollouts, float(factors[ASKED]), gamma, scale) else ""
    if model != PLAIN:
        return model
    targets = rollouts.steps.values - float(factors[ASKED]) * rollouts.asked
    return name_scale(scale, measure_part(replace(rollouts.steps, targets=targets), scale))


def _is_flipped(rollouts: ShortRollouts, inverse: float, gamma: float, offset: float) -> bool:
    """Whether one reward in all rows has the other sign in the targets: in the line's offset, and at terminal steps."""
    steps = rollouts.steps
    reward = float(np.nanmax(steps.rewards))
    last = (steps.values - inverse * rollouts.asked)[steps.terminated]
    near = np.abs(last[np.isfinite(last)] + reward) < CLEAR * abs(reward)
    known = len(near) >= FEWEST_ROLLOUTS and gamma < 1.0 + VISIBLE
    return known and abs(offset + reward) < CLEAR * abs(reward) and float(near.mean()) >= NEARLY_ALL


def _list_columns(rollouts: ShortRollouts) -> tuple[Array, Array]:
    """(n, columns) of the rows that another row of their rollout follows, and (n,) the updates that they belong to."""
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
        *(_take_before(each, steps.ended) for each in (steps.values, rollouts.asked)),
        steps.rewards,
    )
    inner = ~steps.ended & np.isfinite(steps.shift(steps.values)) & np.isfinite(steps.values)
    updates = np.broadcast_to(rollouts.updates, steps.values.shape)
    return np.stack([column[inner] for column in columns], axis=1), updates[inner]


def _take_before(numbers: Array, ended: Array) -> Array:
    """The numbers of the row before in the same episode, NaN for first rows."""
    return np.concatenate([np.full_like(numbers[:1], np.nan), np.where(ended, np.nan, numbers)[:-1]])


def _stack(reading: UpdateReading, calls: Sequence[HeadCall], log_probs: Array) -> ShortRollouts | None:
    """The rollouts side by side; calls with rows that are not on the tape, or that come twice in one, are left out."""
    fresh = {id(call): rows for call, rows in zip(reading.calls, find_fresh(reading), strict=True)}
    several = [list(_list_runs(reading, call, fresh[id(call)])) for call in calls]
    runs = [run for each in several for run in each]
    if not runs:
        return None
    tape, longest = reading.tape, max(len(rows) for rows, *_ in runs)
    rows = np.full((longest, len(runs)), UNMATCHED)
    values, asked, following, beyond = (np.full(rows.shape, np.nan) for _ in range(4))
    for place, (own, value, gradient, after, first) in enumerate(runs):
        start = longest - len(own)
        rows[start:, place], values[start:, place], beyond[start:, place] = own, value, first
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
    updates = np.repeat(np.arange(len(several)), [len(each) for each in several])
    return ShortRollouts(steps, asked, np.where(there, log_probs[rows], np.nan), beyond, updates)


def _list_runs(reading: UpdateReading, call: HeadCall, fresh: Array) -> Iterator[tuple[Array, ...]]:
    """New rows of one member that follow each other, their values, gradients and next values, and the values of the
    observations that the next rows begin with."""
    rows, tape = call.rows, reading.tape
    if not len(rows) or np.any(rows == UNMATCHED) or len(np.unique(rows)) < len(rows):
        return
    order = np.lexsort((rows, rows % tape.members))
    order = order[fresh[order]]
    if not len(order):
        return
    cuts = np.flatnonzero(np.diff(rows[order]) != tape.members) + 1
    behind, ended = _read_behind(reading, call, "next_rows"), np.asarray(tape.terminated | tape.truncated, bool)
    first = _read_behind(reading, call, "rows")
    for own in np.split(order, cuts):
        values, asked = call.outputs[own, 0].astype(np.float64), call.gradients[own, 0] * float(len(rows))
        next_row = np.where(ended[rows[own]], np.nan, np.append(values[1:], np.nan))
        asked_for = np.array([behind.get(int(row), np.nan) for row in rows[own]])
        begins = np.array([first.get(int(row) + tape.members, np.nan) for row in rows[own]])
        yield rows[own], values, asked, np.where(np.isfinite(asked_for), asked_for, next_row), begins


def _read_behind(reading: UpdateReading, call: HeadCall, which: str) -> dict[int, float]:
    """What the critic answered, for the same optimizer step, of the observations of rows, or of what followed them."""
    found: dict[int, float] = {}
    for answer in reading.answers:
        if answer.head == call.head and call.goes_with(answer) and answer.outputs.shape[1] == 1:
            rows = getattr(answer, which)
            known = np.flatnonzero(rows != UNMATCHED)
            found.update({int(rows[each]): float(answer.outputs[each, 0]) for each in known})
    return found
