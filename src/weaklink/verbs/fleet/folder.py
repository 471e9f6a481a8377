"""The folder that a fleet is kept in: its table, and what makes the next time fast. Without one, nothing is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weaklink.base.errors import UsageError

if TYPE_CHECKING:
    from weaklink.verbs.fleet.cache import ResultCache
    from weaklink.verbs.fleet.growth import GrowthPlace
    from weaklink.verbs.fleet.judging import Arrival
    from weaklink.verbs.fleet.work import FleetStart, Judged
    from weaklink.verbs.targets import LogTarget

CACHE = "cache.bin"
"""Named so that a search for logs passes it over."""
GROWTH = "growing"


class OrderedResults:
    """Puts results that come in any order into the order of their targets; what is early waits."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Judged, ...]] = {}
        self._next = 0

    def put(self, arrival: Arrival) -> Iterator[Judged]:
        """Takes the results of one target and gives all whose turn has come."""
        self._waiting[arrival[0]] = arrival[1]
        while self._next in self._waiting:
            yield from self._waiting.pop(self._next)
            self._next += 1

    def rest(self) -> Iterator[Judged]:
        """What still waits for targets that were never judged."""
        for number in sorted(self._waiting):
            yield from self._waiting.pop(number)


class FleetFolder:
    """Where results go; `place` is empty where they are only shown.

    Raises:
        UsageError: the folder cannot be made.
    """

    def __init__(self, place: str = "") -> None:
        self._place = Path(place) if place else None
        self._cache: ResultCache | None = None
        self._ordered = OrderedResults()
        if self._place is not None:
            try:
                self._place.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise _make_refusal(self._place, error) from None

    def describe_growth(self) -> GrowthPlace | None:
        """Where readings of runs that grow are kept."""
        if self._place is None:
            return None
        from weaklink.verbs.fleet.cache import describe_program
        from weaklink.verbs.fleet.growth import GrowthPlace

        return GrowthPlace(os.path.abspath(self._place / GROWTH), describe_program())

    def open_cache(self, start: FleetStart) -> ResultCache | None:
        """What is known from the last time, where there is a folder for it.

        Raises:
            UsageError: it cannot be written.
        """
        if self._place is not None and self._cache is None:
            from weaklink.verbs.fleet.cache import ResultCache

            try:
                self._cache = ResultCache(self._place / CACHE, start)
            except OSError as error:
                raise _make_refusal(self._place, error) from None
        return self._cache

    def leave_out(self, targets: Sequence[LogTarget]) -> list[LogTarget]:
        """The targets without those that weaklink wrote into this folder itself."""
        if self._place is None:
            return list(targets)
        own = os.path.join(os.path.realpath(self._place), "")
        return [
            target
            for target in targets
            if not target.paths
            or not all(os.path.join(os.path.realpath(path), "").startswith(own) for path in target.paths)
        ]

    def put_in_order(self, arrival: Arrival) -> Iterator[Judged]:
        """The results whose turn has come."""
        return self._ordered.put(arrival)

    def list_early(self) -> Iterator[Judged]:
        """The results that came before others that were never judged."""
        return self._ordered.rest()

    def write_table(self, judged: Sequence[Judged]) -> str:
        """Writes the table, and says where; nothing where there is no folder.

        Raises:
            UsageError: it cannot be written.
        """
        if self._place is None or not judged:
            return ""
        import hashlib

        from weaklink.verbs.fleet.table import choose_file, write_table

        file = self._place / choose_file()
        digest = hashlib.blake2b(msgspec.msgpack.encode(judged), digest_size=16).digest()
        # loading what writes Parquet takes longer than all that is left to do where nothing changed
        if self._cache is not None and file.is_file() and self._cache.has_written(self._state(file), digest):
            return str(file)
        try:
            write_table(file, judged)
            if self._cache is not None:
                self._cache.note_written(self._state(file), digest)
        except OSError as error:
            raise _make_refusal(self._place, error) from None
        return str(file)

    @staticmethod
    def _state(file: Path) -> str:
        """The file as it is now: one that somebody else changed is written anew."""
        state = file.stat()
        return f"{file.name} {state.st_size} {state.st_mtime_ns}"

    def close(self) -> None:
        """Writes what is left."""
        if self._cache is not None and self._place is not None:
            from weaklink.verbs.fleet.growth import forget_readings

            self._cache.close()
            forget_readings(self._place / GROWTH)


def _make_refusal(place: Path, error: OSError) -> UsageError:
    return UsageError(
        f"Results are kept in a folder that can be written: {place} cannot be ({error.strerror or error}). "
        "Name another one by --out."
    )
