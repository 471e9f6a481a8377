"""What the next choice is worth on average where a share of all choices is drawn at random, as expected SARSA has it.

`(1 - epsilon) * max + epsilon * mean` of one network's answers. Epsilon falls while a trainer runs, over a few
minibatches in a straight line, so that a target is a line in four columns: the gradient, the largest answer, how far
the mean lies below it, and that times the number of the minibatch.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.joined import JoinedCalls
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, fit_mostly, measure_rounding, measure_spread
from weaklink.collect.monitor.reading.next_values import LARGEST, MEAN, NextValues, number_name

DRAWN = "expected where some choices are drawn at random"

EXACTLY = 0.02
"""The share of what any other line may leave that the right one may: in single precision it leaves a ten-thousandth."""

CLEAR = 2e-3
"""How far epsilon must lie from nothing and from all, on average: else the largest answer or the mean is meant."""


def add_expected(joined: JoinedCalls, entries: Array, rewards: Array, ended: Array, ahead: NextValues) -> NextValues:
    """The next values, with the average under some random choice where that explains the targets exactly.

    Args:
        joined: the rows of a head of action values.
        entries: (n,) the entry that is moved.
        rewards: (n,) of the row's step.
        ended: (n,) whether its episode ended with it.
        ahead: what networks answered of the next observations.
    """
    index = np.arange(len(entries))
    values, asked = joined.outputs[index, entries], joined.asked[index, entries]
    found: dict[str, Array] = {}
    for place in range(len(ahead.right)):
        best, mean = ahead.right.get(number_name(LARGEST, place)), ahead.wrong.get(number_name(MEAN, place))
        if best is None or mean is None:
            break
        drawn = _fit_drawn(values - rewards, asked, best - mean, best, joined.batches, ~ended)
        if drawn is not None:
            found[number_name(DRAWN, place)] = best - drawn * (best - mean)
    return replace(ahead, right={**found, **ahead.right}) if found else ahead


def _fit_drawn(wanted: Array, asked: Array, below: Array, best: Array, batches: Array, inner: Array) -> Array | None:
    """(n,) the share of choices that are drawn in the minibatch of each row; None where none explains the targets."""
    limit = float(np.abs(asked).max(initial=0.0))
    times = (batches - batches.mean()) / max(float(batches.max(initial=0)), 1.0)
    columns = np.stack([asked, best, -below, -below * times], axis=1)
    # the largest gradients may be at the limit of a Huber loss
    inner = inner & np.isfinite(columns).all(axis=1) & (asked != 0.0) & (np.abs(asked) < limit * (1.0 - VISIBLE))
    if inner.sum() < 2 * FEWEST:
        return None
    table, left = columns[inner], wanted[inner]
    allowed = EXACTLY * VISIBLE * measure_spread(left) + measure_rounding(table, left)
    fit = fit_mostly(table, left, allowed)
    if fit is None or not fit[0][0] > 0.0 or not VISIBLE < fit[0][1] <= 1.0 + VISIBLE:
        return None
    drawn = (fit[0][2] + fit[0][3] * times) / fit[0][1]
    inside = drawn.min() >= -VISIBLE and drawn.max() <= 1.0 + VISIBLE
    steady = float(np.ptp(drawn)) < VISIBLE
    told = CLEAR < float(drawn.mean()) < (1.0 - CLEAR if steady else 1.0)
    return np.clip(drawn, 0.0, 1.0) if inside and told else None
