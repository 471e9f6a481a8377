"""What the loss of a head of means scores, how strongly, and what explains that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.recovered import GAUSSIAN, OTHER_SPREAD, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.base.reference.densities import gaussian_log_prob
from weaklink.collect.monitor.reading.gaussian import find_inside, fit_gaussian, fit_shared_entropy, undo_stretching
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.policies import (
    add_name,
    add_ratios,
    complete,
    drop_ratios,
    explain,
    keep_known,
    list_silent,
)
from weaklink.collect.monitor.reading.ratios import (
    MIDDLE,
    add_bound_ratios,
    measure_ratios,
    measure_renewed,
    name_ratio,
)
from weaklink.collect.monitor.reading.tape_rows import TakenActions, read_acting, read_renewed, sees_as_acted
from weaklink.collect.monitor.reading.weights import EXACT, FIRM, WeightFit, WeightRows, fit_weights

STD_READINGS: tuple[Callable[[Array], Array], ...] = (
    np.exp, lambda raw: np.logaddexp(0.0, raw), np.asarray, lambda raw: np.exp(0.5 * raw),
)  # fmt: skip
"""How trainers make a standard deviation of a parameter: exp, softplus, as it is, as the logarithm of a variance."""

OTHER_READINGS: tuple[Callable[[Array], Array], ...] = (*STD_READINGS, lambda raw: np.exp(2.0 * raw), np.ones_like)
"""How a loss may take it that draws with another one: also the variance itself, and one for all."""

OTHERWISE = 0.01
"""The share by which two standard deviations must differ."""

SAME_SPREAD, MOST_CLIPPED = 0.3, 1.5
"""How far the spread of the actions may lie from the standard deviation that made them, some rows given; and below it
where actions are clipped, in logarithms."""


@dataclass(frozen=True, slots=True, eq=False)
class MeanRows:
    """The rows of a head of means, and what it answered of them.

    Attributes:
        before: (rows of the tape, k) when it acted.
        again: (n, k) between optimizer steps, and (n,) after how many of them; None where it was not asked.
        silent: (m,) the rows of the first minibatch of which the loss asks nothing.
    """

    reading: UpdateReading
    joined: JoinedCalls
    before: Array
    again: tuple[Array, Array] | None
    silent: Array


def recover_gaussian(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, advantages: Sequence[Array]
) -> RecoveredPolicy | None:
    """Reads a head of means, with log-stds beside them or a parameter for them; None where the spread is not known.

    Actions may have been stretched from -1 to 1 onto the bounds of the environment: the reading that explains most.
    """
    everything = join_calls(calls)
    joined = keep_known(everything)
    before = read_acting(reading, calls[0].head)
    if not len(joined.rows) or before is None:
        return None
    again = read_renewed(reading, calls[0].head, joined.rows, joined.steps)
    rows = MeanRows(reading, joined, before, again, list_silent(everything))
    tables = [taken.table, *undo_stretching(taken.table)]
    best = None
    for table in tables:
        found = _recover_means(rows, table[joined.rows], advantages)
        if found is not None and (best is None or abs(found.correlation or 0.0) > abs(best.correlation or 0.0)):
            best = replace(found, head=calls[0].head)
        if best is not None and abs(best.correlation or 0.0) > EXACT:
            break
    return best if best is None or sees_as_acted(reading, best.head) else drop_ratios(best)


def _recover_means(rows: MeanRows, actions: Array, advantages: Sequence[Array]) -> RecoveredPolicy | None:
    """The reading of the standard deviation with which the weights follow the advantages exactly, else the first."""
    first = None
    for spread, of_log_std in _list_spreads(rows, actions):
        found = _fit_means(rows, actions, advantages, spread, of_log_std)
        if abs(found.correlation or 0.0) > EXACT and not found.averaged:
            return found
        first = first or found
    if first is None or first.ratio:
        return first
    return add_name(first, _name_other_spread(rows, actions, advantages))


def _name_other_spread(
    rows: MeanRows, actions: Array, advantages: Sequence[Array]
) -> tuple[str, tuple[float, float]] | None:
    """A ratio whose loss takes another standard deviation than actions are drawn with, and its range before the first
    step; None where weights follow none exactly."""
    dimensions, joined = actions.shape[1], rows.joined
    means, asked = joined.outputs[:, :dimensions], joined.asked[:, :dimensions]
    nothing = np.zeros(len(joined.rows))
    for std, old_std in _list_other_spreads(rows, actions):
        fit = fit_gaussian(means, asked, std, actions)
        log_ratios = fit.log_probs - gaussian_log_prob(actions, rows.before[joined.rows, :dimensions], old_std)
        whole = WeightRows(joined.rows, joined.batches, fit.weights, nothing, log_ratios, joined.steps)
        seen = whole.take(fit.inside)
        fits = (fit_weights(seen, each, powers=(1,), near=np.inf) for each in advantages)
        if any(each is not None and abs(each.correlation) > EXACT for each in fits):
            low, high = np.quantile(seen.ratios[seen.steps == seen.steps.min()], MIDDLE)
            return OTHER_SPREAD, (float(low), float(high))
    return None


def _list_spreads(rows: MeanRows, actions: Array) -> Iterator[tuple[tuple[Array, Array], Array | None]]:
    """The standard deviation at each row, and before the first step; the gradient at its logarithm, if rows have it."""
    dimensions, joined = actions.shape[1], rows.joined
    if joined.outputs.shape[1] == 2 * dimensions:
        old = np.exp(rows.before[joined.rows, dimensions:])
        yield (np.exp(joined.outputs[:, dimensions:]), old), joined.asked[:, dimensions:]
        return
    for values, read, first in _read_stds(rows, actions):
        yield (np.stack([read(values[step]) for step in joined.steps.tolist()]), first), None


def _list_other_spreads(rows: MeanRows, actions: Array) -> Iterator[tuple[Array, Array]]:
    """The same where the loss makes another standard deviation of the parameter than the one actions are drawn with."""
    if rows.joined.outputs.shape[1] == 2 * actions.shape[1]:
        return
    for values, read, first in _read_stds(rows, actions):
        for other in OTHER_READINGS:
            std = {step: other(each) for step, each in values.items()}
            start = min(std)
            if np.all(std[start] > 0.0) and np.any(np.abs(std[start] / read(values[start]) - 1.0) > OTHERWISE):
                yield np.stack([std[step] for step in rows.joined.steps.tolist()]), first


def _fit_means(
    rows: MeanRows,
    actions: Array,
    advantages: Sequence[Array],
    spread: tuple[Array, Array],
    of_log_std: Array | None,
) -> RecoveredPolicy:
    dimensions, joined, (std, old_std) = actions.shape[1], rows.joined, spread
    means, asked = joined.outputs[:, :dimensions], joined.asked[:, :dimensions]
    fit = fit_gaussian(means, asked, std, actions, of_log_std)
    old = gaussian_log_prob(actions, rows.before[joined.rows, :dimensions], old_std)
    nothing = np.zeros(len(old))
    whole = WeightRows(joined.rows, joined.batches, fit.weights, nothing, fit.log_probs - old, joined.steps)
    bonus = fit.entropy_weight
    if bonus is None and fit.inside.all():
        bonus = _read_shared_bonus(rows.reading, joined, fit.weights, (actions - means) / std)
    found = RecoveredPolicy(
        head="",
        kind=GAUSSIAN,
        compared=int(fit.inside.sum()) if fit.unexplained is not None else 0,
        unexplained=fit.unexplained,
        entropy_weight=bonus,
    )
    seen = whole.take(fit.inside)
    explained = explain(seen, advantages)
    averaged = _read_averaged(seen, explained, advantages, dimensions)
    if averaged is not None:
        found, explained = replace(found, averaged=True), averaged
    ratios = measure_ratios(seen, explained, advantages)
    if ratios is not None:
        found = add_ratios(found, add_bound_ratios(ratios, whole, fit, explained, advantages))
    found = add_name(found, name_ratio(seen, fit.log_probs[fit.inside], explained, advantages, dimensions))
    if rows.again is not None:
        renewed = fit.log_probs - _score_renewed(rows.again, joined, actions, std)
        found = replace(found, renewed=measure_renewed(seen, renewed[fit.inside], explained, advantages))
    if fit.unexplained is None and (explained is None or abs(explained.correlation) < FIRM):
        found = replace(found, entropy_weight=None)  # one dimension fits whatever the loss is
    return complete(found, seen, rows.silent, explained, advantages)


def _score_renewed(again: tuple[Array, Array], joined: JoinedCalls, actions: Array, std: Array) -> Array:
    """(n,) log-probabilities of the actions by what the head answered between steps; NaN where that is not known."""
    (answers, when), dimensions = again, actions.shape[1]
    if answers.shape[1] == 2 * dimensions:
        return gaussian_log_prob(actions, answers[:, :dimensions], np.exp(answers[:, dimensions:]))
    steps, first = np.unique(joined.steps, return_index=True)
    place = np.minimum(np.searchsorted(steps, when), len(steps) - 1)
    spread = np.where((steps[place] == when)[:, None], np.broadcast_to(std, actions.shape)[first[place]], np.nan)
    return gaussian_log_prob(actions, answers[:, :dimensions], spread)


def _read_stds(rows: MeanRows, actions: Array) -> Iterator[tuple[dict[int, Array], Callable[[Array], Array], Array]]:
    """Parameters at each step, how a standard deviation is made of them, and it before the first step.

    It fits the spread of the actions. Of actions that were clipped a spread is left that is smaller.
    """
    reading, joined, dimensions = rows.reading, rows.joined, actions.shape[1]
    noise = actions - rows.before[joined.rows, :dimensions]
    drawn = noise[np.isfinite(noise).all(axis=1)]
    if len(drawn) < 2:
        return
    spread, clipped = drawn.std(axis=0), not find_inside(actions).all()
    if not np.all(spread > 0.0):
        return
    for name in dict.fromkeys(each.name for each in reading.parameters):
        raw = {each.step: np.ravel(each.values) for each in reading.parameters if each.name == name}
        if {len(each) for each in raw.values()} - {dimensions, 1} or not set(joined.steps.tolist()) <= set(raw):
            continue
        values = {step: np.broadcast_to(np.asarray(each, float), dimensions) for step, each in raw.items()}
        for read in STD_READINGS:
            first = read(values[min(values)])
            if np.all(first > 0.0) and _fits(np.log(spread / first), clipped):
                yield values, read, first


def _fits(apart: Array, clipped: bool) -> bool:
    """Whether a standard deviation fits a spread that is so far from it, in logarithms."""
    return bool(np.all(apart < SAME_SPREAD) and np.all(apart > -(MOST_CLIPPED if clipped else SAME_SPREAD)))


def _read_shared_bonus(reading: UpdateReading, joined: JoinedCalls, weights: Array, z: Array) -> float | None:
    """The entropy bonus from the gradient at one log-std for all rows, at the first step."""
    first = joined.steps == joined.steps.min()
    rows = joined.sizes[first]
    for each in reading.parameters:
        fits = each.gradient is not None and np.size(each.gradient) == z.shape[1]
        if fits and each.step == joined.steps.min() and len(rows) and first.sum() == rows[0]:
            return fit_shared_entropy(weights[first], z[first], np.ravel(each.gradient))  # type: ignore[arg-type]
    return None


def _read_averaged(
    seen: WeightRows, explained: WeightFit | None, advantages: Sequence[Array], dimensions: int
) -> WeightFit | None:
    """The fit with the ratio of averaged log-probabilities, where it is exact and the ratio itself is not."""
    if dimensions == 1 or explained is None or abs(explained.correlation) > EXACT:
        return None
    averaged = explain(seen, advantages, (1.0 / dimensions,))
    return averaged if averaged is not None and abs(averaged.correlation) > EXACT else None
