"""What the loss of a head of a policy scores, how strongly, and what explains that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import CHOICES, GAUSSIAN, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.base.reference.densities import gaussian_log_prob
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.categorical import (
    TWICE,
    ChoiceFit,
    find_masked,
    fit_choices,
    split_choices,
    takes_softmax_twice,
)
from weaklink.collect.monitor.reading.gaussian import find_inside, fit_gaussian, fit_shared_entropy, undo_stretching
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.ratios import FirstRatios, add_bound_ratios, measure_ratios, name_ratio
from weaklink.collect.monitor.reading.taken_choices import add_drawn, find_lag
from weaklink.collect.monitor.reading.tape_rows import TakenActions, read_acting, sees_as_acted
from weaklink.collect.monitor.reading.weights import (
    EXACT,
    FIRM,
    WeightFit,
    WeightRows,
    fit_weights,
    is_constant,
    measure_clip,
    measure_clip_sides,
    measure_repeats,
)

EXPLAINED = 1e-2
"""Scored actions and a bonus explain a loss that leaves less than this share of the gradients."""

ZERO_SUM = 1e-4
"""Gradients at logits add up to zero, to the rounding of 32-bit numbers."""

STD_READINGS: tuple[Callable[[Array], Array], ...] = (np.exp, lambda raw: np.logaddexp(0.0, raw), np.asarray)
"""How trainers make a standard deviation of a parameter: exp, softplus, as it is."""

POWERS: tuple[float, ...] = (1, 0, -1)
"""Of the ratio that weights may hold: the ratio itself, none as in a plain policy gradient, the inverse by mistake."""

SAME_SPREAD, MOST_CLIPPED = 0.3, 1.5
"""How far the spread of the actions may lie from the standard deviation that made them, some rows given; and below it
where actions are clipped, in logarithms."""


def recover_choices(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, advantages: Sequence[Array]
) -> RecoveredPolicy | None:
    """Reads a head of logits; None where it does not hold the logits of the actions."""
    joined = _keep_known(join_calls(calls))
    chosen = taken.table[joined.rows]
    pieces = [slice(None)] if chosen.shape[1] == 1 else split_choices(joined.asked, chosen.shape[1])
    if pieces is None or not len(chosen) or not _hold(joined.outputs, pieces, chosen):
        return None
    if not all(pull_logits(joined.outputs[:, piece], joined.asked[:, piece]) for piece in pieces):
        return None
    fits = [
        fit_choices(joined.outputs[:, piece], joined.asked[:, piece], chosen[:, place])
        for place, piece in enumerate(pieces)
    ]
    before = read_acting(reading, calls[0].head)
    old = _read_log_probs(before, joined, pieces, chosen)
    seen = WeightRows(
        rows=joined.rows,
        batches=joined.batches,
        weights=fits[0].weights,
        entropy_column=fits[0].entropy_column,
        log_ratios=np.asarray(sum(fit.log_probs for fit in fits) - old),
        steps=joined.steps,
    )
    lag = find_lag(fits[0].scored, fits[0].told, joined.rows, taken.table[:, 0], reading.tape.members)
    found = _describe_choices(calls[0].head, fits, chosen, seen, advantages, lag if len(fits) == 1 else 0)
    found = add_drawn(found, before, joined, pieces, chosen)
    if len(fits) == 1 and joined.outputs.shape[1] > 2 and fits[0].unexplained > TWICE:
        found = replace(found, twice=takes_softmax_twice(joined.outputs, joined.asked, chosen[:, 0]))
    return found if sees_as_acted(reading, found.head) else _drop_ratios(found)


def _hold(outputs: Array, pieces: list[slice], chosen: Array) -> bool:
    widths = [outputs[:1, piece].shape[1] for piece in pieces]
    return all(width > 1 and int(chosen[:, place].max()) < width for place, width in enumerate(widths))


def pull_logits(outputs: Array, asked: Array) -> bool:
    """Whether the gradients are those at logits, which add up to zero, or the outputs are probabilities."""
    if np.all(outputs >= 0.0) and np.allclose(outputs.sum(axis=1), 1.0, atol=1e-4):
        return True
    size = np.abs(asked).sum(axis=1)
    return bool(np.all(np.abs(asked.sum(axis=1)) <= ZERO_SUM * np.maximum(size, float(np.median(size)))))


def _describe_choices(
    head: str, fits: list[ChoiceFit], chosen: Array, seen: WeightRows, advantages: Sequence[Array], lag: int
) -> RecoveredPolicy:
    told = np.any([fit.told for fit in fits], axis=0)
    other = np.any([fit.scored != chosen[:, place] for place, fit in enumerate(fits)], axis=0)
    explained = _explain(seen, advantages)
    bonus = fits[0].entropy_weight
    if bonus is None:
        bonus = _read_bonus(seen, advantages, explained)
    found = _add_ratios(
        RecoveredPolicy(
            head=head,
            kind=CHOICES,
            compared=int(np.count_nonzero(told)),
            other=float(np.mean(other, where=told)) if np.any(told) else 0.0,
            explained=min(fit.explained for fit in fits),
            unexplained=max(fit.unexplained for fit in fits),
            entropy_weight=bonus,
            lag=lag,
            weight_spread=float(np.std(fits[0].weights)) if len(fits) == 1 else None,
            evenness=fits[0].evenness if len(fits) == 1 else None,
        ),
        measure_ratios(seen, explained, advantages),
    )
    new = np.asarray(sum(fit.log_probs for fit in fits))
    found = _add_name(found, name_ratio(seen, new, explained, advantages, len(fits)))
    return _complete(found, seen, explained, advantages)


def _add_ratios(found: RecoveredPolicy, ratios: FirstRatios | None) -> RecoveredPolicy:
    if ratios is None:
        return found
    return replace(
        found,
        first_ratios=ratios.first,
        last_ratios=ratios.last,
        used_ratio_spread=ratios.used_spread,
        at_bound=ratios.at_bound,
    )


def _add_name(found: RecoveredPolicy, named: tuple[str, tuple[float, float]] | None) -> RecoveredPolicy:
    return found if named is None else replace(found, ratio=named[0], ratio_range=named[1])


def _read_bonus(seen: WeightRows, advantages: Sequence[Array], explained: WeightFit | None) -> float | None:
    """The weight of the entropy bonus that is left beside the advantages, of the first minibatch or of all.

    Some trainers subtract the value of the present epoch, so that later advantages are others than the first.
    """
    first = _explain(seen.take(seen.steps == seen.steps.min()), advantages) if len(seen.steps) else None
    if first is not None and abs(first.correlation) > 0.999:
        return first.entropy_weight
    return explained.entropy_weight if explained is not None and abs(explained.correlation) > EXACT else None


def recover_gaussian(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, advantages: Sequence[Array]
) -> RecoveredPolicy | None:
    """Reads a head of means, with log-stds beside them or a parameter for them; None where the spread is not known.

    Actions may have been stretched from -1 to 1 onto the bounds of the environment: the reading that explains most.
    """
    joined = _keep_known(join_calls(calls))
    before = read_acting(reading, calls[0].head)
    if not len(joined.rows) or before is None:
        return None
    tables = [taken.table, *undo_stretching(taken.table)]
    found = [_recover_means(reading, joined, before, table[joined.rows], advantages) for table in tables]
    known = [replace(each, head=calls[0].head) for each in found if each is not None]
    best = max(known, key=lambda each: abs(each.correlation or 0.0), default=None)
    return best if best is None or sees_as_acted(reading, best.head) else _drop_ratios(best)


def _drop_ratios(found: RecoveredPolicy) -> RecoveredPolicy:
    return replace(found, first_ratios=None, last_ratios=None, used_ratio_spread=None, at_bound=None)


def _recover_means(
    reading: UpdateReading, joined: JoinedCalls, before: Array, actions: Array, advantages: Sequence[Array]
) -> RecoveredPolicy | None:
    """The reading of the standard deviation with which the weights follow the advantages exactly, else the first."""
    first = None
    for std, old_std, of_log_std in _list_spreads(reading, joined, before, actions):
        found = _fit_means(reading, joined, before, actions, advantages, (std, old_std), of_log_std)
        if abs(found.correlation or 0.0) > EXACT and not found.averaged:
            return found
        first = first or found
    return first


def _list_spreads(
    reading: UpdateReading, joined: JoinedCalls, before: Array, actions: Array
) -> Iterator[tuple[Array, Array, Array | None]]:
    """The standard deviation at each row, before the first step, and the gradient at its logarithm, if rows have it."""
    dimensions = actions.shape[1]
    if joined.outputs.shape[1] == 2 * dimensions:
        old = np.exp(before[joined.rows, dimensions:])
        yield np.exp(joined.outputs[:, dimensions:]), old, joined.asked[:, dimensions:]
        return
    for std, old in _read_stds(reading, joined, actions, before[joined.rows, :dimensions]):
        yield std, old, None


def _fit_means(
    reading: UpdateReading,
    joined: JoinedCalls,
    before: Array,
    actions: Array,
    advantages: Sequence[Array],
    spread: tuple[Array, Array],
    of_log_std: Array | None,
) -> RecoveredPolicy:
    dimensions, (std, old_std) = actions.shape[1], spread
    means, asked = joined.outputs[:, :dimensions], joined.asked[:, :dimensions]
    fit = fit_gaussian(means, asked, std, actions, of_log_std)
    old = gaussian_log_prob(actions, before[joined.rows, :dimensions], old_std)
    nothing = np.zeros(len(old))
    whole = WeightRows(joined.rows, joined.batches, fit.weights, nothing, fit.log_probs - old, joined.steps)
    bonus = fit.entropy_weight
    if bonus is None and fit.inside.all():
        bonus = _read_shared_bonus(reading, joined, fit.weights, (actions - means) / std)
    found = RecoveredPolicy(
        head="",
        kind=GAUSSIAN,
        compared=int(fit.inside.sum()) if fit.unexplained is not None else 0,
        unexplained=fit.unexplained,
        entropy_weight=bonus,
    )
    seen = whole.take(fit.inside)
    explained = _explain(seen, advantages)
    averaged = _read_averaged(seen, explained, advantages, dimensions)
    if averaged is not None:
        found, explained = replace(found, averaged=True), averaged
    ratios = measure_ratios(seen, explained, advantages)
    if ratios is not None:
        found = _add_ratios(found, add_bound_ratios(ratios, whole, fit, explained, advantages))
    found = _add_name(found, name_ratio(seen, fit.log_probs[fit.inside], explained, advantages, dimensions))
    if fit.unexplained is None and (explained is None or abs(explained.correlation) < FIRM):
        found = replace(found, entropy_weight=None)  # one dimension fits whatever the loss is
    return _complete(found, seen, explained, advantages)


def _keep_known(joined: JoinedCalls) -> JoinedCalls:
    return joined.take((joined.rows >= 0) & np.any(joined.asked != 0.0, axis=1))


def _read_log_probs(before: Array | None, joined: JoinedCalls, pieces: list[slice], chosen: Array) -> Array:
    """Log-probabilities of the actions by the policy that acted, with the masks of the loss; NaN without an answer."""
    index = np.arange(len(joined.rows))
    if before is None or before.shape[1] != joined.outputs.shape[1]:
        return np.full(len(index), np.nan)
    logs = []
    for place, piece in enumerate(pieces):
        masked = find_masked(joined.outputs[:, piece], joined.asked[:, piece])
        logits = np.where(masked, -np.inf, before[joined.rows][:, piece])
        logs.append(log_softmax(logits)[index, chosen[:, place]])
    return np.asarray(np.sum(logs, axis=0))


def _read_stds(
    reading: UpdateReading, joined: JoinedCalls, actions: Array, means: Array
) -> Iterator[tuple[Array, Array]]:
    """Standard deviations at each step, and before the first: parameters that fit the spread of the actions.

    Of actions that were clipped a spread is left that is smaller than the standard deviation.
    """
    noise, dimensions = actions - means, actions.shape[1]
    drawn = noise[np.isfinite(noise).all(axis=1)]
    if len(drawn) < 2:
        return
    spread, clipped = drawn.std(axis=0), not find_inside(actions).all()
    if not np.all(spread > 0.0):
        return
    for name in dict.fromkeys(each.name for each in reading.parameters):
        values = {each.step: np.ravel(each.values) for each in reading.parameters if each.name == name}
        if {len(each) for each in values.values()} - {dimensions, 1} or not set(joined.steps.tolist()) <= set(values):
            continue
        for read in STD_READINGS:
            std = {step: np.broadcast_to(read(np.asarray(each, float)), dimensions) for step, each in values.items()}
            first = std[min(std)]
            if np.all(first > 0.0) and _fits(np.log(spread / first), clipped):
                yield np.stack([std[step] for step in joined.steps.tolist()]), first


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


def _explain(seen: WeightRows, advantages: Iterable[Array], powers: tuple[float, ...] = POWERS) -> WeightFit | None:
    """How the weights follow from the advantages that explain them best."""
    fits = (fit_weights(seen, each, powers) for each in advantages)
    return max((fit for fit in fits if fit is not None), key=lambda fit: abs(fit.correlation), default=None)


def _read_averaged(
    seen: WeightRows, explained: WeightFit | None, advantages: Sequence[Array], dimensions: int
) -> WeightFit | None:
    """The fit with the ratio of averaged log-probabilities, where it is exact and the ratio itself is not."""
    if dimensions == 1 or explained is None or abs(explained.correlation) > EXACT:
        return None
    averaged = _explain(seen, advantages, (1.0 / dimensions,))
    return averaged if averaged is not None and abs(averaged.correlation) > EXACT else None


def _measure_sides(
    seen: WeightRows, explained: WeightFit | None, advantages: Sequence[Array], clip: tuple[float, float] | None
) -> tuple[float, float] | None:
    if explained is None or clip is None or abs(explained.correlation) < EXACT:
        return None
    for each in advantages:
        fit = fit_weights(seen, each)
        if fit is not None and fit.correlation == explained.correlation:
            return measure_clip_sides(seen, fit, each, clip[1])
    return None


def _complete(
    found: RecoveredPolicy, seen: WeightRows, explained: WeightFit | None, advantages: Sequence[Array]
) -> RecoveredPolicy:
    bonus = None if explained is None else explained.entropy_weight
    repeats, clip = measure_repeats(seen, bonus), measure_clip(seen, bonus)
    slopes = None if explained is None else explained.slopes
    return replace(
        found,
        correlation=None if explained is None else explained.correlation,
        repeated=repeats,
        constant=is_constant(seen),
        weighed=len(seen.rows),
        clip_range=clip,
        clipped=_measure_sides(seen, explained, advantages, clip),
        normalised=None if slopes is None or len(slopes) < 2 else bool(np.ptp(slopes) > 1e-2 * np.abs(slopes).max()),
    )
