"""Critics of actions and heads of action values whose rows are replayed: which reading of their loss fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.flaw_kinds import AT_OWN_OBSERVATION, ENDS_LOST, REWARD_SHIFT
from weaklink.base.evidence.recovered import ACTION_CRITIC, LIMIT, TERMINAL, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.reading.action_values import FEW_ROWS, OneStepFit, find_moved, fit_one_step, may_fit
from weaklink.collect.monitor.reading.continuing import list_soft, read_replayed_ends
from weaklink.collect.monitor.reading.estimators import fit_trace
from weaklink.collect.monitor.reading.expected_values import add_expected
from weaklink.collect.monitor.reading.importance_weights import find_rising_weights
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.lines import VISIBLE
from weaklink.collect.monitor.reading.moved_entries import FEWEST_KNOWN, compare_entries
from weaklink.collect.monitor.reading.next_values import (
    OWN,
    UNCORRECTED,
    WEIGHED,
    NextValues,
    join_next_values,
    list_next_values,
)
from weaklink.collect.monitor.reading.replayed_fit import ReplayedFit, make_targets
from weaklink.collect.monitor.reading.short_rollouts import are_single
from weaklink.collect.monitor.reading.state_values import fit_repeated
from weaklink.collect.monitor.reading.tape_rows import TakenActions, join_strays, read_steps
from weaklink.collect.monitor.reading.values import (
    EXPLAINED,
    FEWEST,
    MOSTLY,
    ValueRecovery,
    add_ends,
    add_rates,
    fit_minibatches,
    has_changed_rewards,
    should_differ,
)
from weaklink.collect.monitor.reading.weighed_rows import DISCOUNTS, WeighedRows, fit_weighed, measure_weights

LAGS = (-1, 1)
"""Steps from which a reward may come instead of the row's own, by an index that is off."""

SURELY = 20.0
"""Terminal steps that would be among the rows if these were drawn from all: that none is has a chance of 2e-9."""

LEFT = 0.1
"""What a reading may leave of the gradients of a loss; the right one leaves a millionth."""

VARIED = 0.5
"""The share of rows with another reward than the usual one that tells a factor from an offset: three in four follow."""


def recover_replayed(
    reading: UpdateReading,
    calls: Sequence[HeadCall],
    taken: TakenActions,
    gamma: float | None,
    discounts: Sequence[float] = DISCOUNTS,
) -> ValueRecovery | None:
    """Reads a critic of actions or a head of action values whose rows are replayed.

    Args:
        reading: of the update.
        calls: of one head.
        taken: the actions of the tape.
        gamma: as the trainer was set to; None where that is not known.
        discounts: that are tried where rows have weights of their own.
    """
    joined = join_calls(calls)
    width = joined.outputs.shape[1]
    if width == 1:
        entries = np.zeros(len(joined.rows), np.int64)
        found = RecoveredValues(head=calls[0].head, kind=ACTION_CRITIC)
    else:
        entries = find_moved(joined.asked)
        found = compare_entries(reading, calls[0].head, joined, entries, taken)
    parts = [
        list_next_values(reading, call, 0 if width == 1 else width, 0 if taken.discrete else taken.table.shape[1])
        for call in calls
        if call.outputs.shape[1] == width
    ]
    ahead = join_next_values(parts)
    usable = (entries >= 0) & (joined.rows >= 0)
    if np.mean(joined.rows >= 0) < FEWEST_KNOWN:  # what is on no tape may look like anything
        ahead = replace(ahead, wrong={})
    if usable.sum() < FEWEST or not all(len(each) == len(entries) for each in ahead.right.values()):
        return ValueRecovery(found) if found.compared else None
    shared = fit_minibatches(joined.take(usable), entries[usable])
    if shared is not None and should_differ(reading, joined.take(usable), shared):
        return ValueRecovery(replace(found, weight=shared.weight, unexplained=shared.unexplained, all_alike=True))
    if width > 1 and not ahead.right and not ahead.wrong:
        return _recover_collected(reading, joined.take(usable), entries[usable], found)
    rows, ahead = joined.rows[usable], _take(ahead, usable)
    if width > 1:
        ended = np.asarray(reading.tape.terminated | reading.tape.truncated, bool)[rows]
        ahead = add_expected(joined.take(usable), entries[usable], reading.tape.rewards[rows], ended, ahead)
    tried = discounts if gamma is None else (gamma, *discounts)  # of those that fit as well, the first
    made = _fit_replayed(reading, joined.take(usable), entries[usable], ahead, tried)
    if made is None or made.fit.unexplained > LEFT:
        return ValueRecovery(found) if found.compared else None
    fit, log_probs = made.fit, made.log_probs
    found = replace(
        found,
        loss=fit.loss,
        weight=fit.weight,
        targets=fit.targets,
        unexplained=fit.unexplained,
        gamma=fit.gamma,
        soft=None if fit.soft is None else fit.soft * made.temperature,
        source=fit.source,
    )
    flaws = (
        *made.list_flaws(found.head),
        *_find_shift(reading.tape, fit, found.head),
        *(find_rising_weights(found.head, rows, *made.weights) if made.weights is not None else ()),
        *_find_lost_ends(reading.tape, rows, found.head),
    )
    if not ahead.right and fit.source.startswith(OWN):
        count = int(np.isfinite(fit.targets).sum())
        flaws += (RecoveredFlaw(kind=AT_OWN_OBSERVATION, head=found.head, count=count, of=count, number=fit.gamma),)
    if made.reward_lag:
        return ValueRecovery(replace(found, gamma=None), flaws=flaws)
    following = {**ahead.right, **ahead.wrong}[fit.source]
    soft = list_soft(following, log_probs, fit.soft, join_strays(reading, calls, usable))
    stored = replace(reading.tape, rewards=made.store_rewards(reading.tape.rewards, rows))
    found = _add_replayed_ends(stored, rows, found, soft)
    tape = stored if made.tells_scale else reading.tape
    targets = make_targets(tape, rows, ahead, made, gamma)
    above = np.full(tape.rows, np.nan)
    above[rows] = fit.targets - joined.outputs[np.flatnonzero(usable), entries[usable]]
    return ValueRecovery(found, targets=targets, flaws=flaws, above=above if are_single(calls) else None)


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
    if trace is None or has_changed_rewards(steps, trace):
        return ValueRecovery(found)
    return ValueRecovery(add_rates(add_ends(found, steps, trace), trace), steps)


def _add_replayed_ends(
    tape: Tape, rows: Array, found: RecoveredValues, candidates: Mapping[str, Array]
) -> RecoveredValues:
    terminated = np.asarray(tape.terminated, bool)[rows]
    limit = np.asarray(tape.truncated & tape.known, bool)[rows] & ~terminated
    places = {TERMINAL: terminated, LIMIT: limit}
    assert found.targets is not None
    assert found.gamma is not None
    ends = read_replayed_ends(tape.rewards[rows], found.targets, places, candidates, found.gamma)
    return replace(found, ends=ends, terminals=int(terminated.sum()))


def _find_shift(tape: Tape, fit: OneStepFit, head: str) -> Iterator[RecoveredFlaw]:
    """A number added to every reward that turns a cost of every step into a prize, or the other way round.

    Where episodes can end, that decides whether ending them is good.
    """
    before, after = float(tape.rewards.mean()), float((fit.scale * tape.rewards + fit.shift).mean())
    if fit.shift and before * after * fit.scale < 0.0 and np.any(tape.terminated):
        yield RecoveredFlaw(
            kind=REWARD_SHIFT, head=head, count=tape.rows, of=tape.rows, number=fit.shift, other=fit.scale * before
        )


def _find_lost_ends(tape: Tape, rows: Array, head: str) -> Iterator[RecoveredFlaw]:
    """Terminal steps that never come back from a buffer, although so many rows were drawn that some would have."""
    reach = slice(int(rows.min()), int(rows.max()) + 1)
    terminals = np.asarray(tape.terminated, bool)
    expected = float(np.mean(terminals[reach])) * len(rows)
    if expected >= SURELY and not terminals[rows].any():
        count = int(terminals[reach].sum())
        yield RecoveredFlaw(kind=ENDS_LOST, head=head, count=count, of=len(rows), number=expected)


def _take(ahead: NextValues, kept: Array) -> NextValues:
    parts = ({name: each[kept] for name, each in part.items()} for part in (ahead.right, ahead.wrong, ahead.log_probs))
    return NextValues(*parts)


def _fit_replayed(
    reading: UpdateReading, joined: JoinedCalls, entries: Array, ahead: NextValues, discounts: Sequence[float]
) -> ReplayedFit | None:
    """The fit with the first reading of log-probability and reward that gives one."""
    tape, index = reading.tape, np.arange(len(entries))
    ended = np.asarray(tape.terminated | tape.truncated, bool)[joined.rows]
    values, asked = joined.outputs[index, entries], joined.asked[index, entries]
    found = _fit_rewards(values, asked, tape.rewards[joined.rows], ended, ahead)
    for lag in LAGS if found is None else ():
        others = joined.rows + lag * tape.members
        inside = (others >= 0) & (others < tape.rows)
        rewards = np.where(inside, tape.rewards[np.clip(others, 0, tape.rows - 1)], np.nan)
        made = _fit_rewards(values, asked, rewards, ended | ~inside, ahead)
        if made is not None and made.fit.off <= 1.0 - MOSTLY and made.fit.gamma > VISIBLE:
            return replace(made, reward_lag=lag)
    if found is None:
        rewards = tape.rewards[joined.rows]
        varied = float(np.mean(rewards != np.median(rewards))) >= VARIED
        found = _fit_rewards(values, asked, rewards, ended, ahead, scaled=True)
        if found is None and varied:
            found = _fit_rewards(values, asked, rewards, ended, ahead, scaled=True, shifted=True)
        if found is not None:  # one reward in all rows that no target holds is lost, whatever else was added to it
            found = replace(found, tells_scale=varied or abs(found.fit.scale) < VISIBLE)
    if found is None:
        rows = WeighedRows(values, asked, tape.rewards[joined.rows], ended, joined.batches)
        weighed = fit_weighed(rows, {**ahead.right, **ahead.wrong}, discounts)
        found = None if weighed is None else ReplayedFit(weighed, weights=measure_weights(rows, weighed))
    return found


def _fit_rewards(
    values: Array, asked: Array, rewards: Array, ended: Array, ahead: NextValues, **form: bool
) -> ReplayedFit | None:
    following = {**ahead.right, **ahead.wrong}
    if not may_fit(values, asked, rewards, ended, [*following.values(), *ahead.log_probs.values()], **form):
        return None
    plain = fit_one_step(values, asked, rewards, ended, following, None, **form)
    if plain is not None:
        return ReplayedFit(plain)
    few = slice(0, FEW_ROWS)
    for name, logs in ahead.log_probs.items():
        sight = {each: made[few] for each, made in following.items()}
        if fit_one_step(values[few], asked[few], rewards[few], ended[few], sight, logs[few], **form) is None:
            continue
        fit = fit_one_step(values, asked, rewards, ended, following, logs, **form)
        if fit is not None:
            kind, weighed, _ = name.partition(WEIGHED)
            rate = float(np.nanmedian(logs / ahead.log_probs[kind])) if weighed else 1.0
            return ReplayedFit(fit, logs, name.startswith(UNCORRECTED), rate)
    return None
