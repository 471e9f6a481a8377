"""What the loss of a head of values pulls towards: which kind of head it is, and the reading that fits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.recovered import (
    ACTION_CRITIC,
    ACTION_VALUES,
    LIMIT,
    STATE_VALUES,
    TERMINAL,
    RecoveredValues,
)
from weaklink.base.evidence.rollout import Array, Targets
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.reading.action_values import OneStepFit, find_moved, fit_one_step
from weaklink.collect.monitor.reading.continuing import list_soft, read_ends, read_replayed_ends
from weaklink.collect.monitor.reading.estimators import (
    EstimatorFit,
    TapeSteps,
    fit_trace,
    fit_trace_and_weight,
)
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.lines import VISIBLE, are_standardised, measure_spread
from weaklink.collect.monitor.reading.mistakes import INVERTED, is_inverted, name_mistake
from weaklink.collect.monitor.reading.next_values import NextValues, join_next_values, list_next_values
from weaklink.collect.monitor.reading.rearranging import NORMALISED, are_normalised, find_rearranged
from weaklink.collect.monitor.reading.rewards import are_transformed
from weaklink.collect.monitor.reading.short_rollouts import recover_short
from weaklink.collect.monitor.reading.state_values import MOVING, SAME, SQUARE, ValueFit, fit_repeated, moves_along
from weaklink.collect.monitor.reading.tape_rows import TakenActions, find_strays, read_steps

EXPLAINED = 1e-2
"""A loss is recognised where it leaves less than this share of the gradients."""

EXACTLY = 1e-4
"""The same for a loss that is wrong: what a right one leaves of it by chance is more."""

MOSTLY = 0.95
"""The share of rows from which on an exception is one."""

FEWEST = 32


@dataclass(frozen=True, slots=True, eq=False)
class ValueRecovery:
    """A head of values with what rules judge: the steps of an on-policy critic, or the targets of a replayed batch."""

    values: RecoveredValues
    steps: TapeSteps | None = None
    targets: Targets | None = None


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
    head, joined = calls[0].head, join_calls(calls)
    short = recover_short(reading, calls, log_probs)
    if short is not None:
        return ValueRecovery(*short)
    fit = fit_repeated(joined.rows, joined.outputs[:, 0], joined.asked[:, 0])
    shared = _fit_minibatches(joined, np.zeros(len(joined.rows), np.int64)) if len(joined.rows) >= FEWEST else None
    if shared is not None:
        return _recover_shared(reading, head, joined, shared)
    if fit is None and moves_along(joined.rows, joined.outputs[:, 0], joined.asked[:, 0]):
        return ValueRecovery(RecoveredValues(head=head, kind=STATE_VALUES, source=MOVING, unexplained=0.0))
    if fit is None:
        return _recover_silent(reading, head, joined) or _recover_single_pass(reading, head, joined, settings)
    if fit.unexplained > EXPLAINED:
        return None
    targets = fit.spread(reading.tape.rows)
    steps = read_steps(reading, head, targets)
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
        return ValueRecovery(_add_rates(found, fit_trace(steps, standardised=True)), steps)
    wrong = _name_wrong(steps, settings) if trace is None else None
    if wrong is not None:
        return ValueRecovery(replace(found, source=wrong[0], unexplained=wrong[1]), steps)
    if trace is not None and is_inverted(steps, trace.gamma):
        return ValueRecovery(replace(found, source=INVERTED), steps)
    if _has_changed_rewards(steps, trace):
        return ValueRecovery(_add_rates(found, trace))
    return ValueRecovery(_add_rates(_add_ends(found, steps, trace), trace), steps)


def _name_wrong(steps: TapeSteps, settings: Mapping[str, float]) -> tuple[str, float] | None:
    """What is wrong with targets that follow no estimator, and how much of them that leaves; None for nothing known."""
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
    found = RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=fit.loss,
        weight=fit.weight,
        unexplained=fit.unexplained,
        all_alike=_should_differ(reading, joined, fit),
    )
    return ValueRecovery(found)


def _should_differ(reading: UpdateReading, joined: JoinedCalls, fit: ValueFit) -> bool:
    """Whether targets that are one number for each minibatch cannot be right."""
    rows = joined.rows[joined.rows >= 0]
    if len(rows) > 0 and float(np.ptp(reading.tape.rewards[rows])) > 0.0:
        return True
    if len(rows) > 0 and joined.sizes.max() < len(np.unique(rows)):
        return float(np.ptp(fit.targets)) > EXACTLY * float(np.abs(fit.targets).max())
    # one minibatch of all rows: a constant reward has one return only where nothing is bootstrapped
    return float(np.ptp(joined.outputs)) > 0.0


def _recover_single_pass(
    reading: UpdateReading, head: str, joined: JoinedCalls, settings: Mapping[str, float]
) -> ValueRecovery | None:
    """A critic whose rows came once each."""
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
        wrong = name_mistake(steps, settings, asked.reshape(shape))
        found = RecoveredValues(head=head, kind=STATE_VALUES)
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
    return ValueRecovery(_add_rates(_add_ends(found, steps, fit), fit), steps)


def _add_rates(found: RecoveredValues, fit: EstimatorFit | None) -> RecoveredValues:
    return found if fit is None else replace(found, gamma=fit.gamma, lam=fit.lam)


def _add_ends(found: RecoveredValues, steps: TapeSteps, fit: EstimatorFit | None) -> RecoveredValues:
    return found if fit is None else replace(found, ends=read_ends(steps, fit.gamma, fit.lam))


def _has_changed_rewards(steps: TapeSteps, fit: EstimatorFit | None) -> bool:
    """Whether steps that do not follow the estimator do with a reward that was changed on purpose."""
    if fit is None or not fit.off.any():
        return False
    carried = fit.gamma * (1.0 if fit.lam is None else fit.lam)
    ahead = fit.gamma * steps.shift(steps.values) + carried * steps.shift(steps.targets - steps.values)
    inner = ~steps.ended
    implied = (steps.targets - ahead)[inner]
    return are_transformed(steps.rewards[inner], implied, VISIBLE * measure_spread(steps.targets))


def recover_replayed(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, gamma: float | None
) -> ValueRecovery | None:
    """Reads a critic of actions or a head of action values whose rows are replayed.

    Args:
        reading: of the update.
        calls: of one head.
        taken: the actions of the tape.
        gamma: as the trainer was set to; None where that is not known.
    """
    joined = join_calls(calls)
    width = joined.outputs.shape[1]
    if width == 1:
        entries = np.zeros(len(joined.rows), np.int64)
        found = RecoveredValues(head=calls[0].head, kind=ACTION_CRITIC)
    else:
        entries = find_moved(joined.asked)
        found = _compare_entries(calls[0].head, joined, entries, taken)
    parts = [
        list_next_values(reading, call, 0 if width == 1 else width, 0 if taken.discrete else taken.table.shape[1])
        for call in calls
        if call.outputs.shape[1] == width
    ]
    ahead = join_next_values(parts)
    usable = (entries >= 0) & (joined.rows >= 0)
    if usable.sum() < FEWEST or not all(len(each) == len(entries) for each in ahead.right.values()):
        return ValueRecovery(found) if found.compared else None
    shared = _fit_minibatches(joined.take(usable), entries[usable])
    if shared is not None:
        alike = _should_differ(reading, joined.take(usable), shared)
        return ValueRecovery(replace(found, weight=shared.weight, unexplained=shared.unexplained, all_alike=alike))
    if width > 1 and not ahead.right and not ahead.wrong:
        return _recover_collected(reading, joined.take(usable), entries[usable], found)
    fit, log_probs = _fit_replayed(reading, joined.take(usable), entries[usable], _take(ahead, usable))
    if fit is None:
        return ValueRecovery(found) if found.compared else None
    found = replace(
        found,
        loss=fit.loss,
        weight=fit.weight,
        targets=fit.targets,
        unexplained=fit.unexplained,
        gamma=None if fit.scaled else fit.gamma,
        soft=fit.soft,
        source=fit.source,
    )
    if not fit.scaled:
        following = {**ahead.right, **ahead.wrong}[fit.source][usable]
        soft = list_soft(following, log_probs, fit.soft, _find_strays(reading, calls, usable))
        found = _add_replayed_ends(reading, joined.rows[usable], found, soft)
    targets = _make_targets(reading, joined.rows[usable], _take(ahead, usable), fit, log_probs, gamma)
    return ValueRecovery(found, targets=targets)


def _recover_collected(
    reading: UpdateReading, joined: JoinedCalls, entries: Array, found: RecoveredValues
) -> ValueRecovery:
    """Action values that learn from what was just collected, towards returns that their own largest values end."""
    index = np.arange(len(entries))
    fit = fit_repeated(joined.rows, joined.outputs[index, entries], joined.asked[index, entries])
    if fit is None or fit.unexplained > EXPLAINED:
        return ValueRecovery(found)
    targets = fit.spread(reading.tape.rows)
    steps = read_steps(reading, found.head, targets)
    trace = fit_trace(steps)
    found = replace(found, loss=fit.loss, weight=fit.weight, targets=targets, unexplained=fit.unexplained)
    if trace is None or _has_changed_rewards(steps, trace):
        return ValueRecovery(found)
    return ValueRecovery(_add_rates(_add_ends(found, steps, trace), trace), steps)


def _find_strays(reading: UpdateReading, calls: Sequence[HeadCall], usable: Array) -> Array:
    alike = [call for call in calls if call.outputs.shape[1] == calls[0].outputs.shape[1]]
    found = np.concatenate([find_strays(reading, call) for call in alike])
    return found[usable] if len(found) == len(usable) else np.zeros(int(usable.sum()), bool)


def _add_replayed_ends(
    reading: UpdateReading, rows: Array, found: RecoveredValues, candidates: Mapping[str, Array]
) -> RecoveredValues:
    tape = reading.tape
    terminated = np.asarray(tape.terminated, bool)[rows]
    places = {TERMINAL: terminated, LIMIT: np.asarray(tape.truncated, bool)[rows] & ~terminated}
    assert found.targets is not None
    assert found.gamma is not None
    return replace(found, ends=read_replayed_ends(tape.rewards[rows], found.targets, places, candidates, found.gamma))


def _fit_minibatches(joined: JoinedCalls, entries: Array) -> ValueFit | None:
    """A loss that pulls all values of a minibatch towards one number, as one that compares all pairs does."""
    index = np.arange(len(entries))
    fit = fit_repeated(joined.batches, joined.outputs[index, entries], joined.asked[index, entries])
    return fit if fit is not None and fit.unexplained < EXACTLY and fit.silent == 0.0 else None


def _take(ahead: NextValues, kept: Array) -> NextValues:
    parts = ({name: each[kept] for name, each in part.items()} for part in (ahead.right, ahead.wrong, ahead.log_probs))
    return NextValues(*parts)


def _compare_entries(head: str, joined: JoinedCalls, entries: Array, taken: TakenActions) -> RecoveredValues:
    known = (joined.rows >= 0) & (entries >= 0)
    own = taken.table[joined.rows[known], 0]
    return RecoveredValues(
        head=head,
        kind=ACTION_VALUES,
        compared=int(known.sum()),
        other=float(np.mean(entries[known] != own)) if known.any() else 0.0,
    )


def _fit_replayed(
    reading: UpdateReading, joined: JoinedCalls, entries: Array, ahead: NextValues
) -> tuple[OneStepFit | None, Array | None]:
    """The fit, with the first reading of the log-probability that gives one; and that log-probability."""
    tape, index = reading.tape, np.arange(len(entries))
    ended = np.asarray(tape.terminated | tape.truncated, bool)[joined.rows]
    parts = joined.outputs[index, entries], joined.asked[index, entries], tape.rewards[joined.rows], ended
    following = {**ahead.right, **ahead.wrong}
    plain = fit_one_step(*parts, following)
    if plain is not None:
        return plain, None
    for logs in ahead.log_probs.values():
        fit = fit_one_step(*parts, following, logs)
        if fit is not None:
            return fit, logs
    # a reward with a factor of its own, such as a flipped sign
    fit = fit_one_step(parts[0], parts[1], np.zeros(len(index)), ended, following, -parts[2])
    return (None if fit is None else replace(fit, soft=None, scaled=True)), None


def _make_targets(
    reading: UpdateReading,
    rows: Array,
    ahead: NextValues,
    fit: OneStepFit,
    log_probs: Array | None,
    gamma: float | None,
) -> Targets | None:
    """The batch as rules judge it; rows without a target, at the limit of a Huber loss, are left out."""
    kept = np.isfinite(fit.targets)
    if kept.sum() < FEWEST or not ahead.right or not abs(fit.gamma) < 1.0 + VISIBLE:
        return None
    tape = reading.tape
    source = fit.source if fit.source in ahead.right else next(iter(ahead.right))
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
        gamma=abs(fit.gamma) if gamma is None else gamma,
        also_right=tuple(soften(each) for name, each in ahead.right.items() if name != source),
        mistaken={name: soften(each) for name, each in ahead.wrong.items()},
        # a temperature that learns is another at every step, and a reward may be changed on purpose
        exact=log_probs is None and not fit.scaled and not changed,
    )
