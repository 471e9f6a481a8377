"""The guard of a process that starts others: once its owner is gone, however it ended, it ends what that one started.

`python -I -S guard.py` reads from its standard input which processes and folders there are. The end of the input is the
end of the owner, which even SIGKILL cannot hide. Nothing but the standard library is loaded, and little of that.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

OWNER = "WEAKLINK_OWNER"
"""The environment variable by which a process that was started is known, and whatever it starts in its turn."""

ARGUMENT = "weaklink-guard"
POLL = 0.5
MOST_SECONDS = 5.0
"""Processes that start others faster than they are ended are given up after so many seconds."""

FOLDER, PROCESS = "folder", "process"


def main(owner: int, mark: str) -> None:
    """Waits until the owner is gone, then ends its processes and removes its folders."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    kept = _listen(owner)
    end_marked(lambda given: given.partition("/")[0] == mark)
    if not os.path.isdir("/proc/self"):
        for process in kept[PROCESS]:
            end_group(int(process))
    import shutil

    for folder in kept[FOLDER]:
        shutil.rmtree(folder, ignore_errors=True)


def _listen(owner: int) -> dict[str, set[str]]:
    """What there is when the owner ends: a word, `+` or `-`, and a name a line."""
    kept: dict[str, set[str]] = {FOLDER: set(), PROCESS: set()}
    for line in _read_lines(owner):
        word, sign, name = line.split(" ", 2)
        (kept[word].add if sign == "+" else kept[word].discard)(name)
    return kept


def _read_lines(owner: int) -> Iterator[str]:
    if os.name != "posix":
        yield from (line.rstrip("\n") for line in sys.stdin)
        return
    import select

    rest = b""
    while True:
        # a fork of the owner may hold the other end open, so the owner itself is asked for too
        ready = select.select([0], [], [], POLL)[0]
        if not ready and os.getppid() == owner:
            continue
        got = os.read(0, 65_536) if ready else b""
        if not got:
            return
        *lines, rest = (rest + got).split(b"\n")
        yield from map(os.fsdecode, lines)


def end_group(process: int) -> None:
    """Ends the group that this process leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError, OSError):
        if os.name == "posix":
            os.killpg(process, signal.SIGKILL)
        else:
            os.kill(process, signal.SIGTERM)


def end_marked(is_wanted: Callable[[str], bool]) -> None:
    """Ends the processes whose mark is wanted, with all that descend from them, until none is left."""
    deadline = time.monotonic() + MOST_SECONDS
    while (found := find_family(is_wanted)) and time.monotonic() < deadline:
        end_each(found)
        time.sleep(0.005)


def end_each(processes: list[int]) -> None:
    """Ends these processes."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)


def find_family(is_wanted: Callable[[str], bool], leader: int | None = None) -> list[int]:
    """The running processes whose mark is wanted, or of this leader's session, and all that descend from these.

    The leader must not have been waited for: its number could be another's by now. Without /proc nothing is found.
    """
    running = dict(_list_running())
    family = {process for process, (_, session) in running.items() if session == leader}
    family |= {process for process in running if any(map(is_wanted, _read_marks(process)))}
    grown = bool(family)
    while grown:
        children = {process for process, (parent, _) in running.items() if parent in family} - family
        family |= children
        grown = bool(children)
    return [process for process in family if process != os.getpid() and not _is_guard(process)]


def _list_running() -> Iterator[tuple[int, tuple[int, int]]]:
    """Every process that is no zombie, with its parent and its session."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in filter(str.isdigit, names):
        fields = _read(int(name), "stat").rpartition(b")")[2].split()
        if fields and fields[0] not in (b"Z", b"X"):
            yield int(name), (int(fields[1]), int(fields[3]))


def _read_marks(process: int) -> list[str]:
    begins = f"{OWNER}=".encode()
    for setting in _read(process, "environ").split(b"\0"):
        if setting.startswith(begins):
            return os.fsdecode(setting[len(begins) :]).split()
    return []


def _is_guard(process: int) -> bool:
    return ARGUMENT.encode() in _read(process, "cmdline").split(b"\0")


def _read(process: int, file: str) -> bytes:
    try:
        with open(f"/proc/{process}/{file}", "rb") as content:
            return content.read()
    except OSError:  # it is gone, or somebody else's
        return b""


if __name__ == "__main__":
    main(int(sys.argv[2]), sys.argv[3])
