"""What the loss of a head of values pulls towards: which kind of head it is, and the reading that fits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.flaw_kinds import CUT_REWARDS
from weaklink.base.evidence.recovered import STATE_VALUES, TERMINAL, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array, Targets
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.reading.attached import find_discount
from weaklink.collect.monitor.reading.continuing import read_ends
from weaklink.collect.monitor.reading.estimators import (
    EstimatorFit,
    TapeSteps,
    fit_trace,
    fit_trace_and_weight,
    settle_discount,
)
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.lines import VISIBLE, are_standardised, measure_spread
from weaklink.collect.monitor.reading.mistakes import (
    FLIPPED,
    INVERTED,
    LOST,
    is_inverted,
    is_lost,
    name_mistake,
    name_scale,
)
from weaklink.collect.monitor.reading.moved_rewards import STEADY, fit_moved, measure_part
from weaklink.collect.monitor.reading.other_rewards import describe_other, find_late_rewards, list_other_rewards
from weaklink.collect.monitor.reading.rearranging import (
    NORMALISED,
    REVERSED,
    are_normalised,
    find_rearranged,
    runs_forwards,
    traces_forwards,
)
from weaklink.collect.monitor.reading.reward_scales import find_reduction, settle_terminals, undo_scales
from weaklink.collect.monitor.reading.rewards import are_transformed
from weaklink.collect.monitor.reading.short_rollouts import ATTACHED, are_short, are_single, recover_short
from weaklink.collect.monitor.reading.standardised_rewards import find_turned, undo_standardising
from weaklink.collect.monitor.reading.state_values import (
    CUT,
    MOVING,
    SAME,
    SQUARE,
    ValueFit,
    are_cut,
    fit_repeated,
    moves_along,
)
from weaklink.collect.monitor.reading.tape_rows import read_steps

EXPLAINED = 1e-2
"""A loss is recognised where it leaves less than this share of the gradients."""

EXACTLY = 1e-4
"""The same for a loss that is wrong: what a right one leaves of it by chance is more."""

MOSTLY = 0.95
"""The share of rows from which on an exception is one."""

FEWEST = 32


@dataclass(frozen=True, slots=True, eq=False)
class ValueRecovery:
    """A head of values with what rules judge: the steps of an on-policy critic, or the targets of a replayed batch.

    Attributes:
        above: (rows of the tape,) what the targets of a critic that learns from one step at a time are above its
            values; NaN for other rows.
        nearly: whether rewards have another factor at every step, which is known to a few digits only: nothing that is
            computed anew from them can be compared with what the trainer used.
        corrected: whether targets are corrected for an older policy that acted.
    """

    values: RecoveredValues
    steps: TapeSteps | None = None
    targets: Targets | None = None
    flaws: tuple[RecoveredFlaw, ...] = ()
    above: Array | None = None
    nearly: bool = False
    corrected: bool = False

    @property
    def is_told(self) -> bool:
        """Whether it is known what the targets are made of."""
        values = self.values
        return values.gamma is not None or values.all_alike or bool(values.source or self.flaws or self.steps)


def recover_state_values(
    reading: UpdateReading, calls: Sequence[HeadCall], settings: Mapping[str, float], log_probs: Array
) -> ValueRecovery | None:
    """Reads a critic of observations; None where its gradients are those of something else.

    Args:
        reading: of the update.
        calls: of one head.
        settings: what the trainer was set to, as far as it is known.
        log_probs: (rows of the tape,) of the actions, by the policy that learns; NaN where nobody knows.
    """
    if are_single(calls):
        return None  # no row of a rollout follows another: each target is that of a single step
    head, joined = calls[0].head, join_calls(calls)
    if are_cut(joined) and float(np.min(reading.tape.rewards, initial=0.0)) < 0.0:
        return ValueRecovery(RecoveredValues(head=head, kind=STATE_VALUES, source=CUT, unexplained=0.0))
    short = recover_short(reading, calls, log_probs) if are_short(calls) else None
    if short is not None:
        return ValueRecovery(short[0], short[1], flaws=short[2])
    fit = fit_repeated(joined.rows, joined.outputs[:, 0], joined.asked[:, 0])
    shared = fit_minibatches(joined, np.zeros(len(joined.rows), np.int64)) if len(joined.rows) >= FEWEST else None
    if shared is not None:
        return _recover_shared(reading, head, joined, shared)
    if fit is None and moves_along(joined.rows, joined.outputs[:, 0], joined.asked[:, 0]):
        return ValueRecovery(RecoveredValues(head=head, kind=STATE_VALUES, source=MOVING, unexplained=0.0))
    if fit is None:
        silent = _recover_silent(reading, head, joined)
        return silent or _recover_single_pass(reading, calls, joined, settings, log_probs)
    if fit.unexplained > EXPLAINED:
        return None
    targets = fit.spread(reading.tape.rows)
    steps = read_steps(reading, head, targets)
    given = steps.rewards
    found = RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=fit.loss,
        weight=fit.weight,
        targets=targets,
        unexplained=fit.unexplained,
        silent=fit.silent,
    )
    trace = fit_trace(steps)
    if trace is None and are_standardised(targets):
        settled = settle_discount(fit_trace(steps, standardised=True), settings.get("gamma"))
        return ValueRecovery(add_rates(found, settled), steps)
    scaled = fit_trace(steps, scaled=True) if trace is None else None
    moved = fit_moved(steps, settings) if trace is None and (scaled is None or scaled.off.any()) else None
    if moved is not None:
        steps, trace = moved
        scaled, found = None, replace(found, scale=trace.scale)
    wrong_scale = "" if scaled is None else name_scale(scaled.scale, measure_part(steps, scaled.scale))
    if scaled is not None and wrong_scale and not _is_told(steps, scaled):
        scaled, wrong_scale = None, ""
    if wrong_scale:
        return ValueRecovery(add_rates(replace(found, source=wrong_scale, unexplained=0.0), scaled))
    if trace is None and (scaled is None or scaled.unexplained > STEADY):
        running = _recover_running(found, steps)
        if running is not None or scaled is not None:  # else what a normaliser that runs should give is not known
            return running or ValueRecovery(add_rates(found, scaled))
    if scaled is not None:
        trace, steps = scaled, settle_terminals(replace(steps, rewards=scaled.scale * steps.rewards))
        found = replace(found, scale=scaled.scale)
    other = _recover_other(reading, found, steps) if trace is None else None
    if other is not None:
        return other
    wrong = _name_wrong(steps, settings) if trace is None else None
    if wrong is not None:
        return ValueRecovery(replace(found, source=wrong[0], unexplained=wrong[1]), steps)
    if trace is not None and is_inverted(steps, trace.gamma):
        return ValueRecovery(replace(found, source=INVERTED), steps)
    if has_changed_rewards(steps, trace):
        return ValueRecovery(add_rates(found, trace))
    found = add_rates(add_ends(found, steps, trace), trace)
    known = trace is None or any(end.place == TERMINAL for end in found.ends)
    late = () if known else find_late_rewards(reading.tape, steps, head)
    return ValueRecovery(found, steps, flaws=(*late, *find_turned(found, given, steps)))


def _recover_other(reading: UpdateReading, found: RecoveredValues, steps: TapeSteps) -> ValueRecovery | None:
    """A critic whose targets are made of the rewards of other environments; None where no such rewards fit."""
    for kind, other in list_other_rewards(reading.tape, steps):
        fit = fit_trace(other) or (fit_trace(other, scaled=True) if other.rewards_differ else None)
        if (
            fit is not None
            and fit.scale > VISIBLE
            and 0.0 < fit.gamma <= 1.0 + VISIBLE
            and fit.off.sum() <= (1.0 - MOSTLY) * fit.counted
        ):
            return ValueRecovery(add_rates(found, fit), flaws=(describe_other(kind, found.head, fit.counted),))
    return None


def _is_told(steps: TapeSteps, fit: EstimatorFit) -> bool:
    """Whether a factor of the rewards tells what is wrong with them.

    One reward in all rows is no more than an offset; targets that grow as they go back run the other way in time.
    """
    return fit.gamma <= 1.0 + VISIBLE and (steps.rewards_differ or is_lost(steps, fit.scale))


def _recover_running(found: RecoveredValues, steps: TapeSteps) -> ValueRecovery | None:
    """A critic whose rewards have another factor at every time, or only their signs; None where neither fits."""
    undone = undo_scales(steps) or undo_standardising(steps)
    if undone is not None and np.nansum(undone[0].rewards * steps.rewards) < 0.0:
        return ValueRecovery(add_rates(replace(found, source=FLIPPED, unexplained=0.0), undone[1]))
    if undone is not None:
        read = add_rates(add_ends(found, *undone), undone[1])
        return ValueRecovery(read, undone[0], flaws=tuple(find_turned(read, steps.rewards, undone[0])), nearly=True)
    reduced = find_reduction(steps)
    if reduced is None:
        return None
    known = int(np.isfinite(steps.targets).sum())
    flaw = RecoveredFlaw(kind=CUT_REWARDS, head=found.head, count=known, of=known, number=reduced[0], other=reduced[1])
    return ValueRecovery(found, flaws=(flaw,))


def _name_wrong(steps: TapeSteps, settings: Mapping[str, float]) -> tuple[str, float] | None:
    """What is wrong with targets that follow no estimator, and how much of them that leaves; None for nothing known."""
    forwards = runs_forwards(steps)
    forwards = traces_forwards(steps) if forwards is None else forwards
    if forwards is not None:
        return REVERSED, forwards
    rearranged = find_rearranged(steps)
    if rearranged is not None:
        return rearranged[0], rearranged[1].unexplained
    return (NORMALISED, 0.0) if are_normalised(steps) else name_mistake(steps, settings)


def _recover_silent(reading: UpdateReading, head: str, joined: JoinedCalls) -> ValueRecovery | None:
    """A critic of which nothing is asked beyond rounding in any row, while others learn: its values are its targets."""
    if not any(call.head != head and np.any(call.gradients != 0.0) for call in reading.calls):
        return None
    asked, values = joined.asked[:, 0], joined.outputs[:, 0]
    size, spread = float(np.sqrt(np.mean(asked**2))) if len(asked) else 0.0, measure_spread(values)
    if len(asked) < FEWEST or not spread > 0.0 or size > SAME * spread:
        return None
    source = "target is the old value"
    return ValueRecovery(RecoveredValues(head=head, kind=STATE_VALUES, source=source, unexplained=size / spread))


def _recover_shared(reading: UpdateReading, head: str, joined: JoinedCalls, fit: ValueFit) -> ValueRecovery:
    """A critic whose values of a minibatch all have one target, which is right where all targets are the same."""
    rewards = np.abs(reading.tape.rewards[joined.rows[joined.rows >= 0]])
    lost = bool(np.abs(fit.targets).max() < VISIBLE * rewards.max(initial=0.0))
    found = RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=fit.loss,
        weight=fit.weight,
        unexplained=fit.unexplained,
        source=LOST if lost else "",
        all_alike=not lost and should_differ(reading, joined, fit),
    )
    return ValueRecovery(found)


def should_differ(reading: UpdateReading, joined: JoinedCalls, fit: ValueFit) -> bool:
    """Whether targets that are one number for each minibatch cannot be right."""
    rows = joined.rows[joined.rows >= 0]
    rewards = reading.tape.rewards[rows]
    if len(rows) > 0 and float(np.ptp(rewards)) > 0.0:
        return True
    size = max(float(np.abs(joined.outputs).max(initial=0.0)), abs(float(rewards[0]))) if len(rows) else 0.0
    if len(rows) > 0 and np.allclose(fit.targets, rewards[0], rtol=0.0, atol=EXACTLY * size):
        return False  # every target is the row's own reward
    if len(rows) > 0 and joined.sizes.max() < len(np.unique(rows)):
        return float(np.ptp(fit.targets)) > EXACTLY * float(np.abs(fit.targets).max())
    # one minibatch of all rows: a constant reward has one return only where nothing is bootstrapped
    return float(np.ptp(joined.outputs)) > 0.0


def _recover_single_pass(
    reading: UpdateReading,
    calls: Sequence[HeadCall],
    joined: JoinedCalls,
    settings: Mapping[str, float],
    log_probs: Array,
) -> ValueRecovery | None:
    """A critic whose rows came once each."""
    head = calls[0].head
    rows = joined.rows[joined.rows >= 0]
    if len(rows) < FEWEST or len(np.unique(rows)) < MOSTLY * len(rows):
        return None
    values, asked = np.full(reading.tape.rows, np.nan), np.full(reading.tape.rows, np.nan)
    known = joined.rows >= 0
    values[rows], asked[rows] = joined.outputs[known, 0], joined.asked[known, 0]
    steps = read_steps(reading, head, values)
    shape = steps.rewards.shape
    fit = fit_trace_and_weight(steps, values.reshape(shape), asked.reshape(shape))
    if fit is None or fit.weight is None:
        whole = recover_short(reading, calls, log_probs)  # rewards may have a factor of their own
        if whole is not None:
            return ValueRecovery(whole[0], whole[1], flaws=whole[2])
        found = RecoveredValues(head=head, kind=STATE_VALUES)
        attached = _find_attached(steps, *(each.reshape(shape) for each in (values, asked, log_probs)))
        if attached is not None:
            return ValueRecovery(replace(found, source=ATTACHED, gamma=attached[0], unexplained=attached[1]))
        wrong = name_mistake(steps, settings, asked.reshape(shape))
        return None if wrong is None else ValueRecovery(replace(found, source=wrong[0], unexplained=wrong[1]))
    targets = values - asked / fit.weight
    found = RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=SQUARE,
        weight=fit.weight,
        targets=targets,
        unexplained=fit.unexplained,
    )
    steps = replace(steps, targets=targets.reshape(shape))
    if has_changed_rewards(steps, fit):
        return ValueRecovery(add_rates(found, fit))
    return ValueRecovery(add_rates(add_ends(found, steps, fit), fit), steps)


def _find_attached(steps: TapeSteps, values: Array, asked: Array, log_probs: Array) -> tuple[float, float] | None:
    """The discount of a critic that the policy's loss moves as well, and what that leaves; None where it does not."""
    taken = (asked, steps.shift(asked), steps.shift(values), log_probs, steps.shift(log_probs))
    columns = np.stack([values - steps.rewards, *taken, np.ones_like(values)], axis=-1)
    inner = columns[~steps.ended]
    return find_discount(inner, np.zeros(len(inner), np.int64))


def add_rates(found: RecoveredValues, fit: EstimatorFit | None) -> RecoveredValues:
    """With the discount and the lambda of a fit."""
    return found if fit is None else replace(found, gamma=fit.gamma, lam=fit.lam)


def add_ends(found: RecoveredValues, steps: TapeSteps, fit: EstimatorFit | None) -> RecoveredValues:
    """With what the targets of a fit go on with at ends."""
    return found if fit is None else replace(found, ends=read_ends(steps, fit.gamma, fit.lam))


def has_changed_rewards(steps: TapeSteps, fit: EstimatorFit | None) -> bool:
    """Whether steps that do not follow the estimator do with a reward that was changed on purpose."""
    if fit is None or not fit.off.any():
        return False
    carried = fit.gamma * (1.0 if fit.lam is None else fit.lam)
    ahead = fit.gamma * steps.shift(steps.values) + carried * steps.shift(steps.targets - steps.values)
    inner = ~steps.ended
    implied = (steps.targets - ahead)[inner]
    return are_transformed(steps.rewards[inner], implied, VISIBLE * measure_spread(steps.targets))


def fit_minibatches(joined: JoinedCalls, entries: Array) -> ValueFit | None:
    """A loss that pulls all values of a minibatch towards one number, as one that compares all pairs does."""
    index = np.arange(len(entries))
    fit = fit_repeated(joined.batches, joined.outputs[index, entries], joined.asked[index, entries])
    return fit if fit is not None and fit.unexplained < EXACTLY and fit.silent == 0.0 else None
