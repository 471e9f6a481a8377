"""Critics of actions and heads of action values whose rows are replayed: which reading of their loss fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.recovered import (
    ACTION_CRITIC,
    AT_OWN_OBSERVATION,
    ENDS_LOST,
    ENTROPY_SIGN,
    LIMIT,
    REWARD_LAG,
    REWARD_LOST,
    REWARD_SHIFT,
    REWARD_SIGN,
    TERMINAL,
    UNCORRECTED_LOG_PROB,
    RecoveredFlaw,
    RecoveredValues,
)
from weaklink.base.evidence.rollout import Array, Targets
from weaklink.base.evidence.update import HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.reading.action_values import FEW_ROWS, OneStepFit, find_moved, fit_one_step, may_fit
from weaklink.collect.monitor.reading.continuing import list_soft, read_replayed_ends
from weaklink.collect.monitor.reading.estimators import fit_trace
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.lines import VISIBLE, measure_spread
from weaklink.collect.monitor.reading.moved_entries import FEWEST_KNOWN, compare_entries
from weaklink.collect.monitor.reading.next_values import (
    OWN,
    UNCORRECTED,
    WEIGHED,
    NextValues,
    join_next_values,
    list_next_values,
)
from weaklink.collect.monitor.reading.rewards import are_transformed
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
from weaklink.collect.monitor.reading.weighed_rows import DISCOUNTS, WeighedRows, fit_weighed

LAGS = (-1, 1)
"""Steps from which a reward may come instead of the row's own, by an index that is off."""

SURELY = 20.0
"""Terminal steps that would be among the rows if these were drawn from all: that none is has a chance of 2e-9."""

LEFT = 0.1
"""What a reading may leave of the gradients of a loss; the right one leaves a millionth."""

FEWEST_ENDS = 3
"""Terminals that must show one discount."""

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
    made = _fit_replayed(reading, joined.take(usable), entries[usable], _take(ahead, usable), discounts)
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
        *_find_lost_ends(reading.tape, joined.rows[usable], found.head),
    )
    if not ahead.right and fit.source.startswith(OWN):
        count = int(np.isfinite(fit.targets).sum())
        flaws += (RecoveredFlaw(kind=AT_OWN_OBSERVATION, head=found.head, count=count, of=count, number=fit.gamma),)
    if made.reward_lag:
        return ValueRecovery(replace(found, gamma=None), flaws=flaws)
    following = {**ahead.right, **ahead.wrong}[fit.source][usable]
    soft = list_soft(following, log_probs, fit.soft, join_strays(reading, calls, usable))
    stored = replace(reading.tape, rewards=made.store_rewards(reading.tape.rewards, joined.rows[usable]))
    found = _add_replayed_ends(stored, joined.rows[usable], found, soft)
    tape = stored if made.tells_scale else reading.tape
    targets = _make_targets(tape, joined.rows[usable], _take(ahead, usable), made, gamma)
    above = np.full(tape.rows, np.nan)
    above[joined.rows[usable]] = fit.targets - joined.outputs[np.flatnonzero(usable), entries[usable]]
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


@dataclass(frozen=True, slots=True, eq=False)
class ReplayedFit:
    """A fit, and what it was made with.

    Attributes:
        log_probs: of the next actions, as they stand in the line.
        uncorrected: whether they leave out what squashing does to them.
        temperature: that they are weighed with already, on average.
        reward_lag: the step whose reward was taken, 0 for the row's own.
        tells_scale: whether the reward's factor is known: 1, or one that rewards differ enough to tell from an offset.
    """

    fit: OneStepFit
    log_probs: Array | None = None
    uncorrected: bool = False
    temperature: float = 1.0
    reward_lag: int = 0
    tells_scale: bool = True

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
        found = None if weighed is None else ReplayedFit(weighed)
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


def _make_targets(
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
