"""The policy of an on-policy update: how strongly its loss makes each taken action likelier, as advantages by row."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.base.reference.densities import gaussian_log_prob
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.categorical import find_masked, fit_choices
from weaklink.collect.monitor.reading.gaussian import fit_gaussian
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.tape_rows import read_acting
from weaklink.collect.monitor.reading.weights import (
    NEAR_ONE,
    ZERO,
    WeightFit,
    WeightRows,
    fit_weights,
    remove_entropy,
)

EXPLAINED = 0.05
"""A loss that leaves more than this share of the gradients does not score the actions that were taken."""


FIRM = 1.0 - 1e-6
"""The correlation from which on weights follow from advantages to a thousandth, be it with another sign.

What is read less exactly would be judged more exactly than it is known.
"""

FEWEST_NEAR = 16
"""Rows with a ratio near 1 that a minibatch needs for a slope and an offset of its own."""

CLEARLY = 0.05
"""A weight below this share of the usual one may be that of a clipped row, of which rounding and bonus are left."""


def read_advantages(reading: UpdateReading, estimated: Array, critic: str) -> Array | None:
    """What the policy's loss weighed each action with, by row of the tape and in the critic's units, NaN for no row.

    Args:
        reading: the update.
        estimated: (rows of the tape,) what the critic's targets are above its values; NaN where not known.
        critic: the name of the head that is none.

    Returns:
        None where no head's weights follow the estimated advantages, be it with another sign.
    """
    found = []
    for head in reading.heads:
        seen = None if head == critic else read_weights(reading, head)
        fit = None if seen is None else fit_weights(seen, estimated)
        if seen is not None and fit is not None:
            found.append((abs(fit.correlation), seen, fit))
    if not found:
        return None
    _, seen, fit = max(found, key=lambda each: each[0])
    return _undo(seen, fit, reading.tape.rows)


def _undo(seen: WeightRows, fit: WeightFit, rows: int) -> Array | None:
    """The advantages behind the weights; where the loss follows them with a flipped sign, flipped.

    A minibatch with few ratios near 1 has no slope and offset to rely on, and is left out.
    """
    if abs(fit.correlation) < FIRM:
        return None
    near_one = np.isfinite(seen.log_ratios) & (np.abs(seen.ratios - 1.0) < NEAR_ONE)
    fitted, counts = np.unique(seen.batches[near_one], return_counts=True)
    if len(fitted) != len(fit.slopes):
        return None
    kept = np.isin(seen.batches, fitted[counts >= FEWEST_NEAR]) & np.isfinite(seen.log_ratios)
    seen, near_one = seen.take(kept), near_one[kept]
    if not len(seen.rows):
        return None
    batch = np.searchsorted(fitted, seen.batches)
    pure = remove_entropy(seen, fit.entropy_weight)
    told = np.abs(pure) > np.where(near_one, ZERO, CLEARLY) * float(np.median(np.abs(pure)))
    made = (pure / seen.ratios**fit.power - fit.offsets[batch]) / fit.slopes[batch]
    found = np.full(rows, np.nan)
    order = np.argsort(-np.abs(seen.log_ratios[told]))  # of several the one nearest to a ratio of 1, written last
    found[seen.rows[told][order]] = made[told][order]
    return found


def read_weights(reading: UpdateReading, head: str) -> WeightRows | None:
    """How strongly a policy's loss makes each action that was taken likelier; None for heads of something else."""
    joined = join_calls(reading.of_head(head))
    joined = joined.take(joined.rows != UNMATCHED)
    if not len(joined.rows):
        return None
    old = read_acting(reading, head)
    if old is None or old.shape[1] != joined.outputs.shape[1]:
        return None
    actions = reading.tape.actions.reshape(reading.tape.rows, -1)
    if actions.dtype.kind in "iub" and actions.shape[1] == 1 and joined.outputs.shape[1] > 1:
        return _read_choices(joined, actions[:, 0], old)
    if actions.dtype.kind == "f" and actions.shape[1] == joined.outputs.shape[1]:
        return _read_means(reading, joined, actions.astype(np.float64), old)
    return None


def _read_choices(joined: JoinedCalls, actions: Array, old: Array) -> WeightRows | None:
    taken = actions[joined.rows].astype(np.int64)
    if taken.min() < 0 or taken.max() >= joined.outputs.shape[1]:
        return None
    fit = fit_choices(joined.outputs, joined.asked, taken)
    if fit.unexplained > EXPLAINED:
        return None
    masked = find_masked(joined.outputs, joined.asked)
    before = log_softmax(np.where(masked, -np.inf, old[joined.rows]))[np.arange(len(taken)), taken]
    with np.errstate(invalid="ignore"):  # an action that both call impossible
        ratios = fit.log_probs - before
    return WeightRows(joined.rows, joined.batches, fit.weights, fit.entropy_column, ratios, joined.steps)


def _read_means(reading: UpdateReading, joined: JoinedCalls, actions: Array, old: Array) -> WeightRows | None:
    """Means with one log-std for all rows, which no module computes."""
    width = joined.outputs.shape[1]
    spreads = {each.step: each.values.reshape(-1) for each in reading.parameters if each.values.size == width}
    if not spreads or not set(joined.steps.tolist()) <= set(spreads):
        return None
    std = np.exp(np.stack([spreads[step] for step in joined.steps.tolist()]).astype(np.float64))
    taken = actions[joined.rows]
    fit = fit_gaussian(joined.outputs, joined.asked, std, taken)
    if fit.unexplained is not None and fit.unexplained > EXPLAINED:
        return None
    first = np.exp(spreads[min(spreads)].astype(np.float64))
    before = gaussian_log_prob(taken, old[joined.rows], np.broadcast_to(first, taken.shape))
    seen = WeightRows(
        joined.rows, joined.batches, fit.weights, np.zeros(len(taken)), fit.log_probs - before, joined.steps
    )
    return seen.take(fit.inside)
