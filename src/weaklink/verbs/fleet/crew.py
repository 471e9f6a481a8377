"""Who judges many runs, and where what they find is kept."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from weaklink.verbs.fleet.folder import FleetFolder

if TYPE_CHECKING:
    from weaklink.verbs.fleet.labour import Labour
    from weaklink.verbs.fleet.work import FleetStart

MANY = 16
"""Runs from which on other processes are started by themselves: fewer are judged in the time that starting takes."""


class FleetCrew(msgspec.Struct, frozen=True, kw_only=True):
    """`workers` processes judge side by side, one a core where it is 0; `out` is the folder for results.

    `ray` is the address of a Ray cluster that judges instead, or `local`.
    """

    workers: int = 0
    out: str = ""
    ray: str = ""

    @contextlib.contextmanager
    def open_folder(self) -> Iterator[FleetFolder]:
        """The folder for results, open for as long as they come.

        Raises:
            UsageError: it cannot be made.
        """
        folder = FleetFolder(self.out)
        try:
            yield folder
        finally:
            folder.close()

    def is_wanted(self, targets: int) -> bool:
        """Whether there is enough to do, or to keep, for more than one process that reads and forgets."""
        if targets < 2 or self.out or self.ray:
            return targets > 1
        return targets >= MANY and self._count_workers() > 1

    @contextlib.contextmanager
    def gather(self, start: FleetStart, targets: int) -> Iterator[Labour]:
        """Those who judge; whatever was started for it ends afterwards.

        Raises:
            UsageError: Ray is asked for and cannot be reached.
        """
        labour = self._make_labour(start, targets)
        try:
            yield labour
        finally:
            labour.close()

    def _make_labour(self, start: FleetStart, targets: int) -> Labour:
        if self.ray:
            from weaklink.verbs.fleet.ray_labour import RayLabour

            return RayLabour(start, self.ray)
        from weaklink.verbs.fleet.labour import HereLabour, ProcessLabour

        # a traceback that was asked for is of no use from another process
        alone = (targets < MANY and not self.workers) or bool(os.environ.get("WEAKLINK_TRACEBACK"))
        workers = 1 if alone else self._count_workers()
        return HereLabour(start) if workers < 2 else ProcessLabour(start, workers)

    def _count_workers(self) -> int:
        from weaklink.verbs.fleet.labour import count_cores

        return self.workers or count_cores()
