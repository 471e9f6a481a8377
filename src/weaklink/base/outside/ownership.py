"""What this process has started and made on the disk, all of it ended with it: by itself, or by its guard."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import platform
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from weaklink.base.backports import Self
from weaklink.base.outside import guard

OWNED = ".weaklink-owner"
"""The file in a folder of ours that says whose it is."""

FAREWELL = 2.0
"""Seconds that the guard is waited for once it has nothing to do any more."""


class Ownership:
    """The guard of this process and the marks of its children; the guard is started with the first thing to guard."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._mark = f"{self.process}-{secrets.token_hex(4)}"
        self._numbers = itertools.count(1)
        self._guard: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._swept: set[str] = set()

    def next_mark(self) -> str:
        """A mark for one more child; no other has it."""
        return f"{self._mark}/{next(self._numbers)}"

    def tell(self, word: str, sign: str, name: str) -> None:
        """Tells the guard of something to end or to remove (`+`), or not any more (`-`)."""
        line = os.fsencode(f"{word} {sign} {name}\n")
        with self._lock, contextlib.suppress(OSError):
            if self._guard is None or self._guard.poll() is not None:
                self._guard = self._started()
            assert self._guard.stdin is not None
            self._guard.stdin.write(line)

    def _started(self) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-I", "-S", guard.__file__, guard.ARGUMENT, str(self.process), self._mark]
        nothing = subprocess.DEVNULL
        atexit.register(self._dismiss)
        return subprocess.Popen(  # without our mark: whoever ends our processes must leave it to its work
            words, bufsize=0, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, cwd=os.path.abspath(os.sep),
            env={name: value for name, value in os.environ.items() if name != guard.OWNER}, start_new_session=True,
        )  # fmt: skip

    def _dismiss(self) -> None:
        """Ends the guard at the end of this process, after a last look at what is left."""
        if self._guard is not None and self.process == os.getpid():
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._guard.communicate(timeout=FAREWELL)

    def sweep(self, place: str) -> None:
        """Removes folders of ours whose owners were ended together with their guards; once for each place."""
        if place in self._swept:
            return
        self._swept.add(place)
        for folder in Path(place).glob("weaklink-*"):
            with contextlib.suppress(OSError, ValueError):
                machine, process, began = (folder / OWNED).read_text(encoding="utf-8").split("\n")
                if machine == _identify_machine() and began != _read_start_time(int(process)):
                    shutil.rmtree(folder, ignore_errors=True)


_owned = Ownership()


def get_ownership() -> Ownership:
    """That of this process; a fork begins anew."""
    global _owned
    if _owned.process != os.getpid():
        _owned = Ownership()
    return _owned


class ScratchFolder:
    """A temporary folder that is gone after its use, however this process ends."""

    def __init__(self) -> None:
        get_ownership().sweep(tempfile.gettempdir())
        self.path = Path(tempfile.mkdtemp(prefix="weaklink-"))
        get_ownership().tell(guard.FOLDER, "+", str(self.path))
        if began := _read_start_time(os.getpid()):
            (self.path / OWNED).write_text(f"{_identify_machine()}\n{os.getpid()}\n{began}", encoding="utf-8")

    def close(self) -> None:
        """Removes it."""
        shutil.rmtree(self.path, ignore_errors=True)
        get_ownership().tell(guard.FOLDER, "-", str(self.path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _identify_machine() -> str:
    """Where a number stands for one process: this machine since it was started, and the container that we are in."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return platform.node()


def _read_start_time(process: int) -> str:
    """When a process began, in the ticks of its system; empty where there is no such process, or this is not told."""
    try:
        return (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
        )
    except (OSError, IndexError):
        return ""
