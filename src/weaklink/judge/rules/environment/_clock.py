"""Whether the observation reveals the time step within the episode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Play, Survey

# rows that the fit uses: ten for each of the features of the widest observation that it takes, and still fast
MOST_ROWS = 4000

MOST_COLUMNS = 128  # wider observations have too many features for the rows of a survey

FEWEST_EPISODES = 4  # with fewer episodes a column may agree between them by chance

TOLD = 0.99  # share of the variance of the time step that the observation must explain: all but rounding


def find_clock_columns(play: Play) -> NDArray[np.bool_]:
    """Finds columns whose value depends on the time step alone: equal across episodes, different between steps."""
    rows = play.observations
    if rows is None or not len(rows):
        return np.zeros(0 if rows is None else rows.shape[1], dtype=bool)
    time = play.time[: len(rows)]
    order = np.argsort(time, kind="stable")
    ordered, when = rows[order], time[order]
    begins = np.flatnonzero(np.concatenate(([True], np.diff(when) != 0)))
    several = np.diff(np.append(begins, len(when))) >= FEWEST_EPISODES
    if np.count_nonzero(several) < FEWEST_EPISODES:
        return np.zeros(rows.shape[1], dtype=bool)
    high, low = np.maximum.reduceat(ordered, begins)[several], np.minimum.reduceat(ordered, begins)[several]
    with np.errstate(invalid="ignore", over="ignore"):
        same = np.all(high - low <= 1e-9 * (1 + np.abs(high)), axis=0)
        changes = np.count_nonzero(np.diff(high, axis=0) != 0, axis=0) >= np.count_nonzero(several) // 2
    return np.asarray(same & changes)


def tells_time(survey: Survey) -> bool | None:
    """Whether the observation reveals the time step; None where that cannot be known.

    One column may do so alone, or many together, such as the stones on a board or the cities visited.
    """
    play = survey.plays.get(RANDOM)
    if play is None or play.observations is None or "pixel" in survey.column_kinds:
        return None
    if bool(find_clock_columns(play).any()):
        return True
    rows = play.observations
    live = _find_live_columns(rows)
    if not live.any():
        return False
    if np.count_nonzero(live) > MOST_COLUMNS or len(play.lengths) < FEWEST_EPISODES:
        return None
    stride = max(1, len(rows) // MOST_ROWS)
    time, episode = play.time[: len(rows)].astype(np.float64), play.episode_of[: len(rows)]
    explained = _fit_time(rows[::stride, live], time[::stride], episode[::stride] % 2 == 0)
    return None if explained is None else explained > TOLD


def _find_live_columns(rows: Array) -> NDArray[np.bool_]:
    """Finds columns that vary, are always finite and stay below 1e12, where squares still have digits to spare."""
    with np.errstate(all="ignore"):
        usable = np.all(np.abs(rows) < 1e12, axis=0)
        return np.asarray(usable & (np.where(usable, rows, 0.0).std(axis=0) > 0))


def _fit_time(columns: Array, time: Array, trained: NDArray[np.bool_]) -> float | None:
    """The share of the time step's variance that a fit on half of the episodes explains in the other half.

    None with fewer than three rows for each feature, where a fit is mostly noise.
    """
    scaled = (columns - columns.mean(axis=0)) / np.maximum(columns.std(axis=0), 1e-12)
    features = np.column_stack([np.ones(len(scaled)), scaled, scaled**2])
    if min(np.count_nonzero(trained), np.count_nonzero(~trained)) < 3 * features.shape[1]:
        return None
    inside = features[trained]
    power = inside.T @ inside + 1e-6 * len(inside) * np.eye(features.shape[1])
    weights = np.linalg.solve(power, inside.T @ time[trained])
    left = time[~trained] - features[~trained] @ weights
    whole = float(time[~trained].var())
    return 1.0 - float((left**2).mean()) / whole if whole > 0 else 0.0
