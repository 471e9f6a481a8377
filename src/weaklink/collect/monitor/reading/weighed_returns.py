"""The returns that a policy's loss weighs actions with, read off the weights alone: where no critic tells them.

Weights are `slope * (return - share * value) + offset`, with slope and offset of each minibatch, and a return is
`reward + gamma * next return` wherever the episode goes on. So they follow a line within episodes,
`weight = slope * reward + gamma * next weight - slope * share * (value - gamma * next value) + constant`,
and an advantage with a lambda follows the same one with `gamma * lambda` before the next weight.

Where each episode's returns are given a mean of 0 and a spread of 1 before the value is subtracted, the critic learns
in those units: slope and share belong to the minibatch, and together they are one number everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.policy_reading import read_weights
from weaklink.collect.monitor.reading.estimators import EstimatorFit, TapeSteps, compute_gae
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, fit_mostly, measure_rounding, measure_spread
from weaklink.collect.monitor.reading.rearranging import REVERSED
from weaklink.collect.monitor.reading.state_values import HUBER, SQUARE, find_limit
from weaklink.collect.monitor.reading.tape_rows import read_steps
from weaklink.collect.monitor.reading.values import ValueRecovery, add_ends, add_rates
from weaklink.collect.monitor.reading.weights import EXACT, WeightFit, WeightRows, fit_weights, undo_normalising

IGNORED = "done ignored"

TELLING = 0.05
"""A discount that were wrong by this much must show in the weights."""

CLOSE = 0.01
"""How far the discounts of minibatches may lie apart."""

AT_LEAST = 0.9
"""The share of rows that follow their errors where the limit of a loss is reached by a few."""

AGREE = 0.98
"""The share of rows that a loss beyond its limit must pull towards the returns."""


@dataclass(frozen=True, slots=True, eq=False)
class WeighedReturns:
    """What a policy is weighed with.

    Attributes:
        head: of the policy.
        gamma: the discount of the returns.
        steps: the rollout; its values are what is subtracted from the returns, its targets the returns.
        mistake: what is wrong with them, empty where they are right.
        units: (T, N) each, mean and spread of the returns, where a critic learns in units of these.
    """

    head: str
    gamma: float
    steps: TapeSteps
    mistake: str = ""
    units: tuple[Array, Array] | None = None

    def recover(self) -> ValueRecovery:
        """The same as of a critic whose targets they were."""
        found = RecoveredValues(
            head=self.head, kind=STATE_VALUES, source=self.mistake, gamma=self.gamma, lam=1.0, unexplained=0.0
        )
        return ValueRecovery(found, None if self.mistake else self.steps)


def recover_weighed(
    reading: UpdateReading, waiting: Sequence[Sequence[HeadCall]], critics: Sequence[ValueRecovery]
) -> tuple[ValueRecovery | None, list[ValueRecovery]]:
    """The returns of a policy beside which no critic tells its targets, and critics that are pulled towards them.

    Args:
        reading: of the update.
        waiting: the calls of heads of which nothing is known yet.
        critics: those of which something is.
    """
    if any(critic.steps is not None or critic.values.source for critic in critics):
        return None, []
    single = [calls for calls in waiting if calls[0].outputs.shape[1] == 1]
    heads = [calls[0].head for calls in single] + [critic.values.head for critic in critics]
    for calls in waiting:
        returns = read_weighed_returns(reading, calls[0].head, [head for head in heads if head != calls[0].head])
        if returns is not None:
            limited = (_recover_limited(returns, each, reading.tape.rows) for each in single)
            return returns.recover(), [ValueRecovery(each) for each in limited if each is not None]
    return None, []


def read_weighed_returns(reading: UpdateReading, policy: str, critics: Sequence[str]) -> WeighedReturns | None:
    """What the weights of a policy show of its returns; None where no discount explains every minibatch.

    Args:
        reading: of the update.
        policy: its head.
        critics: heads of one number each, whose values may be subtracted.
    """
    seen = read_weights(reading, policy)
    if seen is None or len(seen.rows) < 2 * FEWEST:
        return None
    nothing = np.full(reading.tape.rows, np.nan)
    for head in (*critics, ""):
        steps = read_steps(reading, head, nothing) if head else _drop_values(read_steps(reading, policy, nothing))
        found = _find_returns(seen, steps, policy, valued=bool(head))
        if found is None and head:
            found = _find_standardised(seen, steps, policy, reading.settings.get("gamma"))
        if found is not None:
            return found
    return None


def _drop_values(steps: TapeSteps) -> TapeSteps:
    """The rollout of a policy without a critic."""
    zero = np.zeros_like(steps.values)
    return replace(steps, values=zero, next_values=zero)


def _find_returns(seen: WeightRows, steps: TapeSteps, policy: str, *, valued: bool) -> WeighedReturns | None:
    """The returns with the discount that all minibatches share, where they explain the weights exactly."""
    gamma = _fit_gamma(seen, steps, forwards=False, valued=valued)
    if gamma is None:
        backwards = _fit_gamma(seen, steps, forwards=True, valued=valued)
        return None if backwards is None else WeighedReturns(policy, backwards, steps, REVERSED)
    for mistake, returns in _list_returns(steps, gamma, _find_lasts(seen, steps)):
        advantages = steps.spread(returns - steps.values, len(steps.rows.flat))
        fit = fit_weights(seen, advantages, (0,))
        if fit is not None and abs(fit.correlation) >= EXACT:
            made = steps.gather(undo_normalising(seen, fit, len(advantages))) + steps.values
            return WeighedReturns(policy, gamma, replace(steps, targets=made), mistake)
    return None


def _find_standardised(seen: WeightRows, steps: TapeSteps, policy: str, told: float | None) -> WeighedReturns | None:
    """Returns over their own mean and spread in each minibatch, less a value in the same units; None where they are
    not. The spread is no free number: the factor of the returns beside that of the values must be one over it."""
    gamma = _fit_gamma(seen, steps, forwards=False, valued=True) if told is None else told
    if gamma is None:
        return None
    for mistake, returns in list(_list_returns(steps, gamma, _find_lasts(seen, steps)))[1:]:
        flat, values = steps.spread(returns, len(steps.rows.flat)), steps.spread(steps.values, len(steps.rows.flat))
        means, spreads = np.full(len(flat), np.nan), np.full(len(flat), np.nan)
        for batch in np.unique(seen.batches):
            rows = seen.rows[seen.batches == batch]
            means[rows], spreads[rows] = np.mean(flat[rows]), np.std(flat[rows], ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = fit_weights(seen, (flat - means) / spreads - values, (0,))
        if fit is not None and fit.correlation >= EXACT and _has_one_slope(fit, seen):
            mean, spread = steps.gather(means), steps.gather(spreads)
            own = replace(steps, values=mean + spread * steps.values, next_values=mean + spread * steps.next_values)
            return WeighedReturns(policy, gamma, replace(own, targets=returns), mistake, (mean, spread))
    return None


def _has_one_slope(fit: WeightFit, seen: WeightRows) -> bool:
    """Whether the weights of all minibatches follow with one slope, be it of a mean or of a sum, and no offset."""
    sizes = np.bincount(np.searchsorted(fit.batches, seen.batches), minlength=len(fit.batches))
    slopes = np.abs(fit.slopes)
    alike = any(float(np.ptp(each)) <= CLOSE * float(each.max()) for each in (slopes, slopes / sizes))
    return alike and float(np.abs(fit.offsets).max()) <= CLOSE * float(slopes.max())


def _find_lasts(seen: WeightRows, steps: TapeSteps) -> Array:
    """(T, N) the last step of each member in each minibatch."""
    batches = np.full(len(steps.rows.flat), -1)
    batches[seen.rows] = seen.batches
    table = batches.reshape(steps.rows.shape)
    return np.asarray(table != np.concatenate([table[1:], np.full_like(table[:1], -1)]))


def _list_returns(steps: TapeSteps, gamma: float, lasts: Array) -> Iterator[tuple[str, Array]]:
    """Returns that go on behind a time limit with the value there, those that end with it, and those that go through
    every end up to the last step of their minibatch."""
    never = np.zeros_like(steps.ended)
    yield "", compute_gae(steps, gamma, 1.0) + steps.values
    yield "", compute_gae(replace(steps, terminated=steps.ended, truncated=never), gamma, 1.0) + steps.values
    through = replace(steps, terminated=lasts, truncated=never, next_values=steps.shift(steps.values))
    yield IGNORED, compute_gae(through, gamma, 1.0) + steps.values


def _fit_gamma(seen: WeightRows, steps: TapeSteps, *, forwards: bool, valued: bool) -> float | None:
    """The discount that all minibatches share; None where they do not, or none tells one."""
    found = [
        gamma
        for batch in np.unique(seen.batches)
        for gamma in _fit_batch(seen, int(batch), steps, forwards=forwards, valued=valued)
    ]
    if not found or np.ptp(found) > CLOSE or not VISIBLE <= np.median(found) <= 1.0 + CLOSE:
        return None
    return float(np.median(found))


def _fit_batch(seen: WeightRows, batch: int, steps: TapeSteps, *, forwards: bool, valued: bool) -> Iterator[float]:
    """The discount of one minibatch; nothing where it tells none."""
    inside = seen.batches == batch
    weights, bonus = (np.full(len(steps.rows.flat), np.nan) for _ in range(2))
    weights[seen.rows[inside]] = seen.weights[inside]
    bonus[seen.rows[inside]] = seen.entropy_column[inside]
    weights, bonus = steps.gather(weights), steps.gather(bonus)
    shift = _shift_back if forwards else steps.shift
    ended = np.nan_to_num(_shift_back(steps.ended.astype(float)), nan=1.0) > 0.0 if forwards else steps.ended
    columns = [shift(weights), np.ones_like(weights)]
    columns += [steps.values, shift(steps.values)] if valued else []
    columns += [bonus, shift(bonus)] if np.nanmax(np.abs(bonus)) > 0.0 else []
    known = ~ended & np.isfinite(weights) & np.all([np.isfinite(column) for column in columns], axis=0)
    if known.sum() < FEWEST + 2 * len(columns):
        return
    if float(np.ptp(steps.rewards[known])) > 0.0:
        columns.append(steps.rewards)
    table, wanted = np.stack([column[known] for column in columns], axis=1), weights[known]
    allowed = VISIBLE * measure_spread(wanted) + measure_rounding(table, wanted)
    found = fit_mostly(table, wanted, allowed)
    if found is not None and _is_told(table, allowed):
        yield float(found[0][0])


def _shift_back(numbers: Array) -> Array:
    """The numbers of the step before of the same member, NaN before the first."""
    return np.concatenate([np.full_like(numbers[:1], np.nan), numbers[:-1]])


def _is_told(table: Array, allowed: float) -> bool:
    """Whether the other columns cannot stand in for the next weight."""
    factors, *_ = np.linalg.lstsq(table[:, 1:], table[:, 0], rcond=1e-9)
    own = table[:, 0] - table[:, 1:] @ factors
    return TELLING * float(np.sqrt(np.mean(own**2))) > allowed


def _recover_limited(returns: WeighedReturns, calls: Sequence[HeadCall], count: int) -> RecoveredValues | None:
    """A critic whose Huber loss pulls it towards the returns that the policy is weighed with; None where it does not.

    Most errors lie beyond the limit of such a loss, so that its gradients alone show no targets.
    """
    joined = join_calls(calls)
    limit = find_limit(joined.asked[:, 0])
    if returns.mistake or (limit is None and returns.units is None):
        return None
    mean, spread = returns.units or (0.0, 1.0)
    targets = returns.steps.spread((returns.steps.targets - mean) / spread, count)
    known = (joined.rows >= 0) & np.isfinite(targets[joined.rows]) & (joined.asked[:, 0] != 0.0)
    asked, errors = joined.asked[known, 0], (joined.outputs[:, 0] - targets[joined.rows])[known]
    if known.sum() < FEWEST or np.mean(np.sign(asked) == np.sign(errors)) < AGREE:
        return None
    limited = limit is not None
    if not limited:  # few or none lie beyond the limit: all others must follow their errors exactly
        follow = max((_follows(each, errors) for each in (asked, asked / joined.sizes[known])), key=np.mean)
        limited = not follow.all()
        if follow.mean() < AT_LEAST:
            return None
    rates = EstimatorFit(returns.gamma, 1.0, int(known.sum()), np.zeros_like(returns.steps.ended), 0.0)
    found = RecoveredValues(head=calls[0].head, kind=STATE_VALUES, loss=HUBER if limited else SQUARE, targets=targets)
    return add_rates(add_ends(found, returns.steps, rates), rates)


def _follows(asked: Array, errors: Array) -> Array:
    """(n,) whether each gradient is its error times what most of them have in common: of a mean, or of a sum."""
    return np.asarray(np.abs(asked - np.median(asked / errors) * errors) <= VISIBLE * measure_spread(asked))
