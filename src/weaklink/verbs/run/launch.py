"""One folder for all ranks of a launch: the first rank chooses it and leaves a mark there, the others find the mark."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from weaklink.base.evidence.ranks import RankPlace, name_rank_folder
from weaklink.base.evidence.store import FILE
from weaklink.collect.monitor.claim import LOCK

MARK = ".weaklink-launch"
"""The file by which the other ranks know the folder."""

WAIT = 30.0
"""Seconds that a rank waits for the first one to choose: they start together, on a busy machine not quite."""

WAIT_AT_END = 5.0
"""Seconds that the first rank waits for the others to end their recordings: they end with the same step."""

SLACK = 120.0
"""Seconds before our own start from which on a mark counts, where the launcher's start cannot be told."""

EVERY = 0.05


class LaunchMark(msgspec.Struct, frozen=True):
    """Which launch records into a folder, and when its first rank began."""

    launch: str
    written: float


def leave_mark(folder: Path, place: RankPlace) -> None:
    """Says to the other ranks that this folder is the one."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        hidden = folder / f"{MARK}-{os.getpid()}"
        hidden.write_bytes(msgspec.json.encode(LaunchMark(place.launch, time.time())))
        hidden.replace(folder / MARK)


def remove_mark(folder: Path) -> None:
    """Takes the mark away, and the folder where nothing else is in it."""
    with contextlib.suppress(OSError):
        (folder / MARK).unlink()
        folder.rmdir()


def find_mark(wanted: Path, place: RankPlace, wait: float = WAIT) -> Path | None:
    """The folder that the first rank of our launch chose, None where it has not by then.

    Args:
        wanted: the folder without a number.
        place: our own.
        wait: seconds.
    """
    since, until = _find_start(), time.monotonic() + wait
    while True:
        for folder in (wanted, *sorted(wanted.parent.glob(f"{wanted.name}-*"))):
            with contextlib.suppress(OSError, msgspec.DecodeError):
                mark = msgspec.json.decode((folder / MARK).read_bytes(), type=LaunchMark)
                if mark.launch == place.launch and mark.written >= since:
                    return folder
        if time.monotonic() > until:
            return None
        time.sleep(EVERY)


def wait_for_ranks(folder: Path, world: int, wait: float = WAIT_AT_END) -> list[Path]:
    """Waits until the other ranks have ended the recordings of every training below a folder, or the time is up.

    Returns:
        the folders of those that have not.
    """
    until = time.monotonic() + wait
    while (late := list(_list_unfinished(folder, world))) and time.monotonic() < until:
        time.sleep(EVERY)
    return late


def _list_unfinished(folder: Path, world: int) -> Iterator[Path]:
    for training in folder.glob(f"*/{FILE}"):
        for rank in range(1, world):
            place = training.parent / name_rank_folder(rank)
            if (place / LOCK).exists() or not (place / FILE).exists():
                yield place


def _find_start() -> float:
    """From when on a mark is one of our launch: the start of the launcher, whose child each rank is."""
    with contextlib.suppress(OSError, ValueError, IndexError, StopIteration):
        told = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
        lines = Path("/proc/stat").read_text().splitlines()
        booted = next(float(line.split()[1]) for line in lines if line.startswith("btime"))
        return booted + int(told[19]) / os.sysconf("SC_CLK_TCK") - 2.0  # the time of booting is in whole seconds
    return time.time() - SLACK
