"""Whether a critic has learned anything: what its explained variance and its loss say together."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level, quantile
from weaklink.judge.rules._course import FEWEST, start_of

# explained variance that a critic of random weights reaches by chance, in nine of ten points
NOTHING, MOSTLY = 0.1, 0.9

# of the first losses: a critic that learns anything, if only the mean, gets below that at some time
FALLEN = 0.85

# the error of values in units of their own, beyond any of scaled ones, and the share of it that a mean of nothing has
UNSCALED, AT_ZERO = 3.0, 0.05

# points in which a loss would have fallen, and the points of a level
FEWEST_POINTS, FEW = 20, 3


def explains_nothing(run: Run) -> bool:
    """Whether the explained variance is about 0 or below from start to end, and the value loss ends no lower."""
    explained, loss = run.get("value.explained_variance"), run.get("value.loss")
    if explained is None or loss is None or min(len(explained), len(loss)) < FEWEST:
        return False
    end = level(loss.values[-max(len(loss) // 5, FEW) :])
    return quantile(explained.values, MOSTLY) < NOTHING and end >= start_of(loss.values)


def keeps_to_zero(run: Run) -> bool:
    """Whether a critic that explains nothing has not even learned on which side of 0 its returns all lie.

    Its mean is next to nothing beside the error that its loss tells of. Targets that are scaled have small errors.
    """
    values, returns = run.get("value.mean"), run.get("reward.episode_return")
    explained, loss = run.get("value.explained_variance"), run.get("value.loss")
    if values is None or returns is None or explained is None or loss is None:
        return False
    if min(len(values), len(explained), len(loss)) < FEWEST_POINTS or quantile(explained.values, MOSTLY) > NOTHING:
        return False
    error = level(loss.values) ** 0.5
    one_side = float(returns.lows.min()) > 0 or float(returns.highs.max()) < 0
    return one_side and error > UNSCALED and float(np.abs(values.values).max()) < AT_ZERO * error


def never_learned(run: Run) -> bool:
    """Whether such a critic has not even learned a mean: at no time was its loss below where it began."""
    if not explains_nothing(run) or len(run["value.loss"]) < FEWEST_POINTS:
        return False
    values = run["value.loss"].values
    levels = np.median(np.lib.stride_tricks.sliding_window_view(values, FEW), axis=1)
    return bool(levels.min() >= FALLEN * values[0])
