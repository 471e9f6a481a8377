"""Finished episodes, gathered until the next row is written."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from weaklink.base.evidence.metrics import COMPONENT
from weaklink.collect.monitor.measures import distribution

SPREADS = {
    "reward.episode_return": ("std", "min", "max"),
    "task.episode_length": ("std", "min", "max", "q05", "median", "q95"),
}


class Episodes:
    """Returns, lengths and reward components of the episodes that ended since the last row."""

    def __init__(self) -> None:
        self._columns: dict[str, list[float]] = {}

    def add(self, total: float, length: float, parts: Mapping[str, float] | None = None) -> None:
        """Takes one episode."""
        row = {"reward.episode_return": total, "task.episode_length": length}
        row |= {f"{COMPONENT}{name}": value for name, value in (parts or {}).items()}
        for name, value in row.items():
            self._columns.setdefault(name, []).append(float(value))

    def taken(self) -> dict[str, float]:
        """The numbers of the episodes that have come, which are then forgotten; empty where none came."""
        columns, self._columns = self._columns, {}
        if not columns:
            return {}
        numbers = {name: float(np.mean(values)) for name, values in columns.items()}
        for name, words in SPREADS.items():
            spread = distribution(np.asarray(columns.get(name, ())))
            if spread is not None and len(columns[name]) > 1:
                numbers |= {f"{name}_{word}": getattr(spread, word) for word in words}
        return numbers | {"task.episodes": float(len(columns["reward.episode_return"]))}
