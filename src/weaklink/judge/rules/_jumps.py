"""Falls that happen at once, and what jumped beside them."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import change_points, level, spread

# signs that the policy itself moved; losses also jump when returns fall for another reason
OF_THE_POLICY = ("exploration.entropy", "policy.kl", "policy.clip_fraction")

# times the largest excursion in the half of the log before: with small updates losses jump all the time
FURTHER = 2.0

# points before a fall that show the usual scatter of a curve; the last fifty are enough
FEWEST_BEFORE, RECENT = 8, 50

# A collapse loses more than half of what the run loses in a single fall
AT_ONCE = 0.5


def find_cliff(series: Series, loss: float) -> float | None:
    """The step of a fall that is sudden and permanent; None where the loss is gradual or recovers."""
    splits = change_points(series.values)
    levels = [level(piece) for piece in np.split(series.values, splits)]
    falls = [before - max(levels[place:]) for place, before in enumerate(levels[:-1], 1)]
    at = int(np.argmax(falls)) if falls else 0
    return float(series.steps[splits[at]]) if falls and falls[at] > AT_ONCE * loss else None


def measure_jump(series: Series, step: float, slack: float, least: float) -> float | None:
    """The value to which a curve jumps around the step; None where it is within `least` times its earlier scatter."""
    earlier: Array = series.values[series.steps < step - slack]
    before = earlier[-RECENT:]
    around: Array = series.values[(series.steps >= step - slack) & (series.steps <= step + slack)]
    if len(before) < FEWEST_BEFORE or not len(around):
        return None
    usual = level(before)
    scatter = max(spread(before), 1e-3 * abs(usual), 1e-12)
    furthest = float(around[int(np.argmax(np.abs(around - usual)))])
    seen = float(np.abs(earlier[len(earlier) // 2 :] - usual).max())
    return furthest if abs(furthest - usual) > max(least * scatter, FURTHER * seen) else None
