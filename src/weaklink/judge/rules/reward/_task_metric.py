"""The task metric, which measures success independently of the reward: one number for each episode."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import CUT, Play, Survey

SUCCESS = ("is_success", "success", "won")  # info keys that mean success; any other key must be given


def read_task_metric(survey: Survey, play: Play) -> Iterator[tuple[str, Array]]:
    """The metric of each whole episode, in each reading that makes sense; NaN where an episode has none."""
    key = survey.goal_metric or next((key for key in SUCCESS if key in play.metrics), "")
    values = play.metrics.get(key)
    if values is None:
        return
    ended = play.ends != CUT
    if len(values) == len(play.lengths) != len(play.rewards):
        yield key, np.asarray(values[ended], dtype=np.float64)
    elif len(values) == len(play.rewards):
        for column in _read_column(play, np.asarray(values, dtype=np.float64)):
            yield key, column[ended]


def _read_column(play: Play, values: Array) -> list[Array]:
    """The largest value of a flag; the mean and the last value of a quantity."""
    known = np.where(np.abs(values) < 1e100, values, np.nan)
    seen = known[np.isfinite(known)]
    columns: list[Array] = [np.full(len(play.lengths), np.nan) for _ in range(3)]
    for episode, (start, length) in enumerate(zip(play.starts.tolist(), play.lengths.tolist(), strict=True)):
        piece = known[start : start + length]
        piece = piece[np.isfinite(piece)]
        if len(piece):
            for column, value in zip(columns, (piece.max(), piece.mean(), piece[-1]), strict=True):
                column[episode] = value
    binary = bool(np.all((seen == 0.0) | (seen == 1.0)))
    return columns[:1] if binary else columns[1:]
