"""What the loss of a head of logits scores, how strongly, and what explains that; and what policies have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import CHOICES, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.categorical import (
    TWICE,
    ChoiceFit,
    find_masked,
    fit_choices,
    split_choices,
    takes_softmax_twice,
    weigh_softmax_twice,
)
from weaklink.collect.monitor.reading.drawn_again import find_drawn_again
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.other_stored import find_other_stored
from weaklink.collect.monitor.reading.ratios import FirstRatios, measure_ratios, measure_renewed, name_ratio
from weaklink.collect.monitor.reading.stored_choices import find_order, find_recoded, is_unrelated
from weaklink.collect.monitor.reading.taken_choices import add_drawn, find_lag
from weaklink.collect.monitor.reading.tape_rows import TakenActions, read_acting, read_renewed, sees_as_acted
from weaklink.collect.monitor.reading.weights import (
    EXACT,
    ZERO,
    WeightFit,
    WeightRows,
    count_capped,
    find_advantages,
    fit_weights,
    is_constant,
    measure_clip,
    measure_clip_sides,
    measure_repeats,
    remove_entropy,
)

EXPLAINED = 1e-2
"""Scored actions and a bonus explain a loss that leaves less than this share of the gradients."""

SOME = 0.05
"""The share of rows that score another action from which on it is asked how these came about."""

UNSCORED = 0.05
"""The weight of one of several choices, as a share of that of the others, below which it has none."""

ZERO_SUM = 1e-4
"""Gradients at logits add up to zero, to the rounding of 32-bit numbers."""


POWERS: tuple[float, ...] = (1, 0, -1)
"""Of the ratio that weights may hold: the ratio itself, none as in a plain policy gradient, the inverse by mistake."""


def recover_choices(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, advantages: Sequence[Array]
) -> RecoveredPolicy | None:
    """Reads a head of logits; None where it does not hold the logits of the actions."""
    everything = join_calls(calls)
    joined, silent = drop_crowded(keep_known(everything)), list_silent(everything)
    chosen = taken.table[joined.rows]
    if not len(chosen):
        return None
    pieces = [slice(None)] if chosen.shape[1] == 1 else split_choices(joined.asked, chosen.shape[1])
    if pieces is None or not _hold(joined.outputs, pieces, chosen):
        return None
    if not all(pull_logits(joined.outputs[:, piece], joined.asked[:, piece]) for piece in pieces):
        return None
    fits = [
        fit_choices(joined.outputs[:, piece], joined.asked[:, piece], chosen[:, place])
        for place, piece in enumerate(pieces)
    ]
    weights, column, unscored = _join_weights(fits)
    before = read_acting(reading, calls[0].head)
    old = _read_log_probs(before, joined, pieces, chosen)
    seen = WeightRows(
        rows=joined.rows,
        batches=joined.batches if joined.sizes.max() > 1 else np.zeros_like(joined.batches),
        weights=weights,
        entropy_column=column,
        log_ratios=_subtract(np.asarray(sum(fit.log_probs for fit in fits)), old),
        steps=joined.steps,
    )
    again = read_renewed(reading, calls[0].head, joined.rows, joined.steps)
    lag = find_lag(fits[0].scored, fits[0].told, joined.rows, taken.table[:, 0], reading.tape.members)
    found = _describe_choices(calls[0].head, fits, chosen, seen, silent, advantages, lag if len(fits) == 1 else 0)
    if again is not None:
        renewed = seen.log_ratios + old - _score_choices(again[0], joined, pieces, chosen)
        found = replace(found, renewed=measure_renewed(seen, renewed, explain(seen, advantages), advantages))
    if len(fits) == 1 and before is not None and before.shape[1] == joined.outputs.shape[1]:
        other = find_other_stored(seen, before[joined.rows], chosen[:, 0], explain(seen, advantages), advantages)
        found = replace(found, stored_other=other or 0.0)
    found = add_drawn(found, before, joined, pieces, chosen)
    if len(fits) > 1:
        found = _add_recoded(replace(found, unscored=unscored), fits, chosen)
    elif not lag:
        found = _add_storage(found, fits[0], joined, seen, taken, reading.tape.members, advantages)
    if len(fits) == 1 and joined.outputs.shape[1] > 2 and fits[0].unexplained > TWICE:
        found = replace(found, twice=takes_softmax_twice(joined.outputs, joined.asked, chosen[:, 0]))
    elif len(fits) == 1 and joined.outputs.shape[1] == 2 and 0.0 < (found.correlation or 0.0) < EXACT:
        weights, column = weigh_softmax_twice(joined.outputs, joined.asked, chosen[:, 0])
        second = explain(replace(seen, weights=weights, entropy_column=column), advantages)
        found = replace(found, twice=second is not None and second.correlation > EXACT)
    return found if sees_as_acted(reading, found.head) else drop_ratios(found)


def _join_weights(fits: Sequence[ChoiceFit]) -> tuple[Array, Array, int]:
    """(n,) how strongly all choices of a row together are made likelier, (n,) what a unit of entropy bonus adds, and
    how many of the choices have no part in that.

    The bonus of one choice that tells it is that of the others.
    """
    bonus = next((fit.entropy_weight for fit in fits if fit.entropy_weight is not None), None)
    pure = np.stack([fit.weights + (bonus or 0.0) * fit.entropy_column for fit in fits])
    columns = np.stack([fit.entropy_column if bonus is None else 0.0 * fit.entropy_column for fit in fits])
    firm = np.stack([fit.firmness for fit in fits])
    strongest = pure[np.argmax(np.sum(firm * pure**2, axis=1))]
    shares = np.sum(firm * pure * strongest, axis=1) / np.maximum(np.sum(firm * strongest**2, axis=1), 1e-30)
    scored = np.abs(shares) > UNSCORED if bonus is not None or len(fits) == 1 else np.ones(len(fits), bool)
    firm = np.where(scored[:, None], firm, 0.0)
    whole = np.maximum(firm.sum(axis=0), 1e-30)
    weights, column = (np.asarray(np.sum(firm * each, axis=0) / whole) for each in (pure, columns))
    return weights, column, int(np.count_nonzero(~scored))


def _add_recoded(found: RecoveredPolicy, fits: Sequence[ChoiceFit], chosen: Array) -> RecoveredPolicy:
    """With which actions of one of several choices are scored as another one, each always as the same."""
    if found.other <= SOME:
        return found
    recoded = (find_recoded(fit.scored, fit.told, chosen[:, place]) for place, fit in enumerate(fits))
    return replace(found, recoded=next(filter(None, recoded), ()))


def _add_storage(
    found: RecoveredPolicy,
    fit: ChoiceFit,
    joined: JoinedCalls,
    seen: WeightRows,
    taken: TakenActions,
    members: int,
    advantages: Sequence[Array],
) -> RecoveredPolicy:
    """With how other actions than the taken ones came to be scored, where that is known."""
    table = taken.table[:, 0]
    if found.other > SOME:
        recoded = find_recoded(fit.scored, fit.told, table[joined.rows])
        if recoded:
            return replace(found, recoded=recoded)
    elif joined.outputs.shape[1] > 2 or not is_unrelated(explain(seen, advantages)):
        return found
    order = find_order(joined, fit, seen, table, members, advantages)
    again = find_drawn_again(seen, fit.log_probs, advantages) if joined.outputs.shape[1] == 2 and not order else None
    if again is not None:
        return replace(found, compared=again.rows, other=again.share, explained=1.0)
    return replace(found, order=order)


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
    head: str,
    fits: list[ChoiceFit],
    chosen: Array,
    seen: WeightRows,
    silent: Array,
    advantages: Sequence[Array],
    lag: int,
) -> RecoveredPolicy:
    told = np.any([fit.told for fit in fits], axis=0)
    other = np.any([fit.scored != chosen[:, place] for place, fit in enumerate(fits)], axis=0)
    explained = explain(seen, advantages)
    bonus = next((fit.entropy_weight for fit in fits if fit.entropy_weight is not None), None)
    if bonus is None:
        bonus = _read_bonus(seen, advantages, explained)
    found = add_ratios(
        RecoveredPolicy(
            head=head,
            kind=CHOICES,
            compared=int(np.count_nonzero(told)),
            other=float(np.mean(other, where=told)) if np.any(told) else 0.0,
            explained=min((fit.explained for fit in fits if fit.told.any()), default=0.0),
            unexplained=max(fit.unexplained for fit in fits),
            entropy_weight=bonus,
            lag=lag,
            weight_spread=float(np.std(fits[0].weights)) if len(fits) == 1 else None,
            evenness=fits[0].evenness if len(fits) == 1 else None,
        ),
        measure_ratios(seen, explained, advantages),
    )
    new = np.asarray(sum(fit.log_probs for fit in fits))
    found = add_name(found, name_ratio(seen, new, explained, advantages, len(fits)))
    return complete(found, seen, silent, explained, advantages)


def add_ratios(found: RecoveredPolicy, ratios: FirstRatios | None) -> RecoveredPolicy:
    """With the ratios that the loss shows, where it does."""
    if ratios is None:
        return found
    return replace(
        found,
        first_ratios=ratios.first,
        last_ratios=ratios.last,
        used_ratio_spread=ratios.used_spread,
        at_bound=ratios.at_bound,
    )


def add_name(found: RecoveredPolicy, named: tuple[str, tuple[float, float]] | None) -> RecoveredPolicy:
    """With what a ratio that is none is made of, where that is known."""
    return found if named is None else replace(found, ratio=named[0], ratio_range=named[1])


def _read_bonus(seen: WeightRows, advantages: Sequence[Array], explained: WeightFit | None) -> float | None:
    """The weight of the entropy bonus that is left beside the advantages, of the first minibatch or of all.

    Some trainers subtract the value of the present epoch, so that later advantages are others than the first.
    """
    first = explain(seen.take(seen.steps == seen.steps.min()), advantages) if len(seen.steps) else None
    if first is not None and abs(first.correlation) > 0.999:
        return first.entropy_weight
    return explained.entropy_weight if explained is not None and abs(explained.correlation) > EXACT else None


def drop_ratios(found: RecoveredPolicy) -> RecoveredPolicy:
    """Without ratios, where the policy that acted was given something else."""
    return replace(found, first_ratios=None, last_ratios=None, used_ratio_spread=None, at_bound=None)


def keep_known(joined: JoinedCalls) -> JoinedCalls:
    """The rows that are on the tape and of which the loss asks something."""
    return joined.take((joined.rows >= 0) & np.any(joined.asked != 0.0, axis=1))


def drop_crowded(joined: JoinedCalls) -> JoinedCalls:
    """Without rows of which several of one minibatch would be the same step: at most one of them is.

    Where few of the steps that were made are on the tape, all that look like one of these are taken for it.
    """
    claims = joined.batches * (int(joined.rows.max(initial=0)) + 1) + joined.rows
    _, places, counts = np.unique(claims, return_inverse=True, return_counts=True)
    return joined.take(np.asarray(counts[places] == 1))


def list_silent(joined: JoinedCalls) -> Array:
    """(m,) the known rows of the first minibatch of which the loss asks nothing at all."""
    first = joined.batches == joined.batches.min(initial=np.iinfo(np.int64).max)
    return np.asarray(joined.rows[first & (joined.rows >= 0) & ~np.any(joined.asked != 0.0, axis=1)])


def _read_log_probs(before: Array | None, joined: JoinedCalls, pieces: list[slice], chosen: Array) -> Array:
    """Log-probabilities of the actions by the policy that acted, with the masks of the loss; NaN without an answer."""
    if before is None:
        return np.full(len(joined.rows), np.nan)
    return _score_choices(before[joined.rows], joined, pieces, chosen)


def _score_choices(answers: Array, joined: JoinedCalls, pieces: list[slice], chosen: Array) -> Array:
    """(n,) log-probabilities of the actions by the logits of each row, with the masks of the loss."""
    index = np.arange(len(joined.rows))
    if answers.shape[1] != joined.outputs.shape[1]:
        return np.full(len(index), np.nan)
    logs = []
    for place, piece in enumerate(pieces):
        masked = find_masked(joined.outputs[:, piece], joined.asked[:, piece])
        logits = np.where(masked, -np.inf, answers[:, piece])
        logs.append(log_softmax(logits)[index, chosen[:, place]])
    return np.asarray(np.sum(logs, axis=0))


def _subtract(new: Array, old: Array) -> Array:
    """The logarithms of ratios; NaN for actions that both policies call impossible."""
    with np.errstate(invalid="ignore"):
        return np.asarray(new - old)


def explain(seen: WeightRows, advantages: Iterable[Array], powers: tuple[float, ...] = POWERS) -> WeightFit | None:
    """How the weights follow from the advantages that explain them best."""
    fits = (fit_weights(seen, each, powers) for each in advantages)
    return max((fit for fit in fits if fit is not None), key=lambda fit: abs(fit.correlation), default=None)


def _count_capped(
    seen: WeightRows,
    silent: Array,
    best: tuple[WeightFit, Array] | None,
    bonus: float | None,
    advantages: Sequence[Array],
) -> int:
    """Rows of the first minibatch without weight but for an entropy bonus, because their advantages are too large."""
    if best is None and bonus:
        pure = np.abs(remove_entropy(seen, bonus))
        kept = pure > ZERO * float(np.median(pure)) if len(pure) else np.zeros(0, bool)
        first = ~kept & (seen.batches == seen.batches.min(initial=np.iinfo(np.int64).max))
        silent, seen = seen.rows[first], seen.take(kept)
        best = find_advantages(seen, explain(seen, advantages), advantages)
    return 0 if best is None else count_capped(seen, silent, *best)


def complete(
    found: RecoveredPolicy,
    seen: WeightRows,
    silent: Array,
    explained: WeightFit | None,
    advantages: Sequence[Array],
) -> RecoveredPolicy:
    """With all that the weights show, whatever kind of policy it is; `silent` rows of the first minibatch have none."""
    bonus = None if explained is None else explained.entropy_weight
    repeats, clip = measure_repeats(seen, bonus), measure_clip(seen, bonus)
    slopes = None if explained is None else explained.slopes
    best = find_advantages(seen, explained, advantages)
    return replace(
        found,
        correlation=None if explained is None else explained.correlation,
        repeated=repeats,
        constant=is_constant(seen),
        weighed=len(seen.rows),
        clip_range=clip,
        clipped=None if best is None or clip is None else measure_clip_sides(seen, *best, clip[1]),
        capped=_count_capped(seen, silent, best, found.entropy_weight, advantages),
        normalised=None if slopes is None or len(slopes) < 2 else bool(np.ptp(slopes) > 1e-2 * np.abs(slopes).max()),
    )
