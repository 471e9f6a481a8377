"""The columns of a regular table collected together: whole rows of finite numbers, merged all at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.merging import PointMerger, SeriesPoints
from weaklink.base.evidence.series import Array, SeriesBuilder
from weaklink.base.limits import LARGEST_STEP
from weaklink.collect.readers.raw import RawLog


class ColumnLot:
    """Collects columns as long as every row has them all; `split` hands each to the builder of its series.

    Once it was split it takes no more: what comes then goes to the builders.
    """

    def __init__(self, raw: RawLog) -> None:
        self._raw = raw
        self._merging = PointMerger()
        self._columns: tuple[tuple[int, str], ...] = ()
        self._count = 0
        self._timed = False
        self._over = False

    def extend(self, columns: Sequence[tuple[int, str]], steps: Array, values: Array, times: Array | None) -> bool:
        """Takes rows, the places of whose columns have these names; False where they must be taken one by one."""
        wanted, timed = tuple(columns), times is not None
        if self._over or not self._fits(wanted, timed):
            return False
        placed = (np.abs(steps) < LARGEST_STEP).all() and (times is None or np.isfinite(times).all())
        if not placed or not np.isfinite(values).all():
            return False
        self._columns, self._timed = wanted, timed
        self._count += len(values)
        self._merging.extend(SeriesPoints.logged(steps, values, times))
        return True

    def split(self) -> None:
        """Gives each column its own builder."""
        self._over = self._over or bool(self._count)
        apart = self._merging.split() if self._columns else []
        for place, name in self._columns:
            self._raw.columns[name] = SeriesBuilder(apart[place], self._count)
        self._columns = ()

    def _fits(self, columns: tuple[tuple[int, str], ...], timed: bool) -> bool:
        if self._count:
            return columns == self._columns and timed is self._timed
        names = [name for _, name in columns]
        return bool(names) and len(set(names)) == len(names) and not any(name in self._raw.columns for name in names)
