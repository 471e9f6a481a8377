"""What the loss of a head of values pulls towards: which kind of head it is, and the reading that fits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.recovered import (
    ACTION_CRITIC,
    ACTION_VALUES,
    ATOMS,
    QUANTILES,
    STATE_VALUES,
    RecoveredValues,
)
from weaklink.base.evidence.rollout import Array, Targets
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.reading.action_values import OneStepFit, find_moved, fit_one_step
from weaklink.collect.monitor.reading.estimators import (
    EstimatorFit,
    TapeSteps,
    fit_trace,
    fit_trace_and_weight,
)
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.next_values import NextValues, join_next_values, list_next_values
from weaklink.collect.monitor.reading.state_values import SQUARE, ValueFit, fit_repeated
from weaklink.collect.monitor.reading.tape_rows import TakenActions, find_following, read_steps
from weaklink.collect.monitor.reading.value_distributions import ActionBlocks, find_blocks, fit_atoms, fit_quantiles

EXPLAINED = 1e-2
"""A loss is recognised where it leaves less than this share of the gradients."""

EXACTLY = 1e-4
"""The same for a loss that is wrong: what a right one leaves of it by chance is more."""

MOSTLY = 0.95
"""The share of rows from which on an exception is one."""

FEWEST = 32

GAMMAS = np.array([0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 1.0])
"""Discounts from which the one of quantiles is refined."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueRecovery:
    """A head of values with what rules judge: the steps of an on-policy critic, or the targets of a replayed batch."""

    values: RecoveredValues
    steps: TapeSteps | None = None
    targets: Targets | None = None


def recover_state_values(reading: UpdateReading, calls: Sequence[HeadCall]) -> ValueRecovery | None:
    """Reads a critic of observations; None where its gradients are those of something else."""
    head, joined = calls[0].head, join_calls(calls)
    fit = fit_repeated(joined.rows, joined.outputs[:, 0], joined.asked[:, 0])
    shared = _fit_minibatches(joined, np.zeros(len(joined.rows), np.int64))
    if shared is not None:
        return _recover_shared(reading, head, joined, shared)
    if fit is None:
        return _recover_single_pass(reading, head, joined)
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
    return ValueRecovery(_add_rates(found, fit_trace(steps)), steps)


def _recover_shared(reading: UpdateReading, head: str, joined: JoinedCalls, fit: ValueFit) -> ValueRecovery:
    """A critic whose values of a minibatch all have one target, which is right where all targets are the same."""
    rewards = reading.tape.rewards[joined.rows[joined.rows >= 0]]
    apart = float(np.ptp(fit.targets)) > EXACTLY * float(np.abs(fit.targets).max())
    found = RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=fit.loss,
        weight=fit.weight,
        unexplained=fit.unexplained,
        all_alike=bool(apart or (len(rewards) and np.ptp(rewards) > 0.0)),
    )
    return ValueRecovery(found)


def _recover_single_pass(reading: UpdateReading, head: str, joined: JoinedCalls) -> ValueRecovery | None:
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
        return None
    targets = values - asked / fit.weight
    found = RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=SQUARE,
        weight=fit.weight,
        targets=targets,
        unexplained=fit.unexplained,
    )
    return ValueRecovery(_add_rates(found, fit), replace(steps, targets=targets.reshape(shape)))


def _add_rates(found: RecoveredValues, fit: EstimatorFit | None) -> RecoveredValues:
    return found if fit is None else replace(found, gamma=fit.gamma, lam=fit.lam)


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
    fit, log_probs = _fit_replayed(reading, joined.take(usable), entries[usable], _take(ahead, usable))
    if fit is None:
        return ValueRecovery(found) if found.compared else None
    found = replace(
        found,
        loss=fit.loss,
        weight=fit.weight,
        targets=fit.targets,
        unexplained=fit.unexplained,
        gamma=fit.gamma,
        soft=fit.soft,
        source=fit.source,
    )
    targets = _make_targets(reading, joined.rows[usable], _take(ahead, usable), fit, log_probs, gamma)
    return ValueRecovery(found, targets=targets)


def recover_all_alike(calls: Sequence[HeadCall]) -> ValueRecovery | None:
    """Reads action values that are all pulled towards one target a row; None where they are not."""
    joined = join_calls(calls)
    rows = np.repeat(np.arange(len(joined.rows)), joined.outputs.shape[1])
    fit = fit_repeated(rows, joined.outputs.ravel(), joined.asked.ravel())
    if fit is None or fit.unexplained > EXPLAINED or fit.silent > 0.0:
        return None
    return ValueRecovery(
        RecoveredValues(
            head=calls[0].head,
            kind=ACTION_VALUES,
            loss=fit.loss,
            weight=fit.weight,
            unexplained=fit.unexplained,
            compared=len(joined.rows),
            other=1.0,
            all_alike=True,
        )
    )


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
    if plain is not None or not ahead.log_probs:
        return plain, None
    for logs in ahead.log_probs.values():
        fit = fit_one_step(*parts, following, logs)
        if fit is not None:
            return fit, logs
    return None, None


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
    if kept.sum() < FEWEST or not ahead.right:
        return None
    tape = reading.tape
    source = fit.source if fit.source in ahead.right else next(iter(ahead.right))

    def soften(values: Array) -> Array:
        less = 0.0 if log_probs is None or fit.soft is None else fit.soft * log_probs
        return np.asarray(values - less)[kept]

    return Targets(
        rewards=tape.rewards[rows][kept],
        terminated=np.asarray(tape.terminated, bool)[rows][kept],
        truncated=np.asarray(tape.truncated, bool)[rows][kept],
        next_values=soften(ahead.right[source]),
        targets=fit.targets[kept],
        gamma=fit.gamma if gamma is None else gamma,
        also_right=tuple(soften(each) for name, each in ahead.right.items() if name != source),
        mistaken={name: soften(each) for name, each in ahead.wrong.items()},
        exact=log_probs is None,  # a temperature that learns is another at every step
    )


def recover_distribution(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, choices: int
) -> ValueRecovery | None:
    """Reads a head of value distributions: the atoms of a categorical one, or quantiles."""
    joined = join_calls(calls)
    blocks = find_blocks(joined.asked, choices)
    if blocks is None:
        return None
    outputs, asked, moved = blocks.shape(joined.outputs), blocks.shape(joined.asked), blocks.moved
    known = (joined.rows >= 0) & (moved >= 0)
    own = taken.table[joined.rows[known], 0]
    found = RecoveredValues(
        head=calls[0].head,
        kind=ATOMS,
        compared=int(known.sum()),
        other=float(np.mean(moved[known] != own)) if known.any() else 0.0,
    )
    index = np.flatnonzero(known)
    atoms = fit_atoms(outputs[index, moved[index]], asked[index, moved[index]])
    if atoms is not None and atoms.valid >= MOSTLY:
        return ValueRecovery(replace(found, weight=atoms.weight))
    fit = _fit_quantiles(reading, calls, joined, blocks, index)
    if fit is None or fit[2] > EXPLAINED:
        return None
    return ValueRecovery(replace(found, kind=QUANTILES, gamma=fit[0], weight=fit[1], unexplained=fit[2]))


def _fit_quantiles(
    reading: UpdateReading, calls: Sequence[HeadCall], joined: JoinedCalls, blocks: ActionBlocks, index: Array
) -> tuple[float, float, float] | None:
    """Quantile regression towards what some network answered of the next observations."""
    answers = [[a for a in find_following(reading, call) if a.outputs.shape == call.outputs.shape] for call in calls]
    if not all(answers) or sum(len(call.rows) for call in calls) != len(joined.rows):
        return None
    tape, rows = reading.tape, joined.rows[index]
    ended = np.asarray(tape.terminated | tape.truncated, bool)[rows]
    own, asked = (blocks.shape(each)[index, blocks.moved[index]] for each in (joined.outputs, joined.asked))
    ahead = blocks.shape(np.concatenate([each[-1].outputs for each in answers]).astype(np.float64))[index]
    best = ahead[np.arange(len(index)), ahead.mean(axis=2).argmax(axis=1)]
    return fit_quantiles(own, asked, tape.rewards[rows], ended, best, GAMMAS)
