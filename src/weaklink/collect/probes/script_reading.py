"""In the process of a script: its updates are read on the environment made for that, and written into a folder."""

from __future__ import annotations

import atexit
import os
from pathlib import Path
from typing import Any

from weaklink.collect.probes.reading import EnoughRead, TrainingReader
from weaklink.collect.probes.reading_probe import find_reading_probe

ENDING = ".update"
"""How the names of files end that hold what was read of an update; the number of steps so far is part of the name."""


def begin_reading(title: str, folder: str | None, told: str) -> dict[str, Any]:
    """How an environment for reading is made; where there is a folder, this process is read from now on.

    Args:
        title: of the probe.
        folder: where it is written.
        told: the budget of the training and, behind a space, the discount where it is known.
    """
    probe = find_reading_probe(title)
    reading = _find_reading(Path(folder), told) if folder else None
    return {"continuous": probe is not None and probe.continuous, "on_step": reading and reading.count_step}


def read_readings(folder: Path) -> tuple[tuple[bytes, ...], int]:
    """What the processes of a script wrote: what was read of its updates, and how many steps it had made by then."""
    files = sorted(folder.glob(f"*{ENDING}"), key=lambda file: int(file.name.split("-")[0]))
    return tuple(file.read_bytes() for file in files), max((int(each.name.split("-")[0]) for each in files), default=0)


class ScriptReading:
    """The reading of this process.

    Args:
        folder: where it is written.
        told: as for `begin_reading`.
    """

    def __init__(self, folder: Path, told: str) -> None:
        self._folder, self._process = folder, os.getpid()
        steps, _, gamma = told.partition(" ")
        self._reader = TrainingReader(
            int(steps) if steps.isdigit() else 0, {"gamma": float(gamma)} if gamma.strip() else {}, self._write
        )
        self._reader.listen()
        atexit.register(self._reader.close)

    def count_step(self, past_end: bool) -> None:
        """Counts a step; the process ends once enough was read."""
        try:
            self._reader.count_step(past_end)
        except EnoughRead:
            if os.getpid() == self._process:
                os._exit(0)  # nothing of the rest of this training would be looked at

    def _write(self, packed: bytes) -> None:
        name = f"{self._reader.taken}-{self._process}{ENDING}"
        whole = self._folder / f"{name}.part"
        whole.write_bytes(packed)
        whole.rename(self._folder / name)


_reading: ScriptReading | None = None


def _find_reading(folder: Path, told: str) -> ScriptReading:
    """The one of this process, begun where there is none yet."""
    global _reading
    _reading = _reading or ScriptReading(folder, told)
    return _reading
