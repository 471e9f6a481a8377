"""How often each split of an evaluation was looked at, and what was chosen by it: one line a look, only ever added to.

    {"time": "2026-03-01T12:00:00+00:00", "task": "gsm8k", "split": "private", "by": "compare",
     "models": ["step-800"], "evaluations": ["3f9a..."], "selected": "step-800"}

A look that shows no evaluation that was not shown before is a repeat: it tells nothing new.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import ReadError, UsageError
from weaklink.base.evidence.manifest import SPLITS, Manifest
from weaklink.base.limits import MOST_UNPACKED, read_bounded

fcntl: Any = None  # Windows has no such locks; there one write is still one line
with suppress(ImportError):
    fcntl = import_module("fcntl")

FILE = "weaklink-looks.jsonl"


class LedgerLook(msgspec.Struct, frozen=True, kw_only=True):
    """One look at one split of one task: what was seen, and what was chosen by it."""

    time: str
    split: str
    task: str = ""
    by: str = ""
    models: tuple[str, ...] = ()
    evaluations: tuple[str, ...] = ()
    selected: str = ""


class SplitLooks(msgspec.Struct, frozen=True, kw_only=True):
    """All looks at one split. `looks` showed something new, `repeats` did not; `selections` chose something by it."""

    task: str
    split: str
    looks: int = 0
    repeats: int = 0
    models: tuple[str, ...] = ()
    selections: tuple[str, ...] = ()
    first: str = ""
    last: str = ""


def find_ledger(folder: str | Path) -> Path:
    """The ledger of a folder: the nearest one in it or above it, else one to be made in it."""
    place = Path(folder).absolute()
    return next((each / FILE for each in (place, *place.parents) if (each / FILE).is_file()), place / FILE)


def format_now() -> str:
    """The time of a look, so finely that no two looks of one process have the same."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")


def look_at(manifests: Iterable[Manifest], by: str, selected: str = "", time: str = "") -> list[LedgerLook]:
    """One look for each task and split that these evaluations show; those that name no split count for none."""
    shown: dict[tuple[str, str], list[Manifest]] = {}
    for one in manifests:
        if one.split:
            shown.setdefault((one.task, one.split), []).append(one)
    return [
        LedgerLook(
            time=time or format_now(),
            task=task,
            split=split,
            by=by,
            models=tuple(dict.fromkeys(one.model for one in seen if one.model)),
            evaluations=tuple(dict.fromkeys(one.digest for one in seen)),
            selected=selected,
        )
        for (task, split), seen in shown.items()
    ]


def add_looks(path: Path, looks: Iterable[LedgerLook]) -> None:
    """Adds looks at the end, whole lines even where several processes write at the same time.

    Raises:
        UsageError: the file cannot be written.
    """
    lines = b"".join(msgspec.json.encode(look) + b"\n" for look in looks)
    if not lines:
        return
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
            os.write(handle, b"\n" + lines if _torn(handle) else lines)
        finally:
            os.close(handle)
    except OSError as error:
        raise UsageError(
            f"Cannot count this look in {path}: {error.strerror or error}. Name a file that you may write."
        ) from error


def read_looks(path: Path) -> tuple[list[LedgerLook], int]:
    """The looks in their order, and how many lines are none; a ledger that is not there yet holds none.

    Raises:
        ReadError: the file is there and cannot be read.
    """
    try:
        content = read_bounded(path, MOST_UNPACKED, "A ledger", "Begin a new one.")
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise ReadError(f"Cannot read the ledger {path}: {error.strerror or error}.") from error
    looks: list[LedgerLook] = []
    damaged = 0
    for line in content.splitlines():
        if not line.strip():
            continue
        try:
            looks.append(msgspec.json.decode(line, type=LedgerLook))
        except (msgspec.MsgspecError, RecursionError):
            damaged += 1
    return looks, damaged


def count_looks(looks: Iterable[LedgerLook]) -> tuple[SplitLooks, ...]:
    """The looks by task and split; one look may stand in several ledgers and counts once."""
    by_split: dict[tuple[str, str], list[LedgerLook]] = {}
    for look in looks:
        by_split.setdefault((look.task, look.split), []).append(look)
    order = sorted(by_split, key=lambda of: (of[0], SPLITS.index(of[1]) if of[1] in SPLITS else len(SPLITS), of[1]))
    return tuple(_count_split_looks(task, split, by_split[task, split]) for task, split in order)


def _count_split_looks(task: str, split: str, looks: list[LedgerLook]) -> SplitLooks:
    known: set[str] = set()
    fresh = 0
    at_once: dict[tuple[str, str, str], set[str]] = {}
    for look in looks:
        at_once.setdefault((look.time, look.by, look.selected), set()).update(look.evaluations)
    for shown in at_once.values():
        fresh += not shown or not known.issuperset(shown)
        known |= shown
    return SplitLooks(
        task=task,
        split=split,
        looks=fresh,
        repeats=len(at_once) - fresh,
        models=tuple(dict.fromkeys(model for look in looks for model in look.models)),
        selections=tuple(selected for _, _, selected in at_once if selected),
        first=looks[0].time,
        last=looks[-1].time,
    )


def _torn(handle: int) -> bool:
    """Whether the last line was cut off by a crash."""
    size = os.fstat(handle).st_size
    if not size:
        return False
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) != b"\n"
