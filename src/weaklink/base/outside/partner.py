"""A process of our own that is told things and answers, a line each, as it is seen from here."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Generic, TypeVar

import msgspec

from weaklink.base.outside.processes import end, last_words

MOST_SHOWN = 4000
A_MOMENT = 0.1

Heard = TypeVar("Heard")


class Partner(Generic[Heard]):
    """A module that runs in a session of its own. What it says is heard by a thread, what it prints goes into a file.

    Args:
        module: what is run.
        arguments: of its command line.
        decode: the message of a line.
        hear: told each message, and None once nothing more will come; called from the thread.
        printed: the file; what is printed is lost without one.
        folder: in which it runs.
        spoken_to: whether its standard input is ours; it is empty otherwise.
        threads: how many a library may use for one operation.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        decode: Callable[[bytes], Heard],
        hear: Callable[[Heard | None], None],
        printed: Path | None = None,
        folder: str = "",
        spoken_to: bool = True,
        threads: int = 1,
    ) -> None:
        few = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
        self._file = printed
        self._errors = subprocess.DEVNULL if printed is None else printed.open("wb")
        self._process = subprocess.Popen(
            # -u: what it prints must be there even when it dies
            [sys.executable, "-u", "-m", module, *arguments],
            stdin=subprocess.PIPE if spoken_to else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=folder or None,
            start_new_session=os.name == "posix",
            env={**few, **os.environ},
        )
        self._listener = threading.Thread(target=_listen, args=(self._process.stdout, decode, hear), daemon=True)
        self._listener.start()

    def tell(self, line: bytes) -> None:
        """Sends it a line."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has died; the listener tells
            self._process.stdin.write(line)
            self._process.stdin.flush()

    @property
    def running(self) -> bool:
        """Whether it still runs; one that has closed its output is given a moment to end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(A_MOMENT)
        return self._process.poll() is None

    def printed(self, most: int = MOST_SHOWN) -> str:
        """The end of what it printed."""
        try:
            return "" if self._file is None else self._file.read_text(encoding="utf-8", errors="replace")[-most:]
        except OSError:
            return ""

    def last_words(self) -> str:
        """The signal that it died of or its exit code, and the last line that it printed."""
        return last_words(self._process.wait(), self.printed())

    def close(self) -> None:
        """Ends it and whatever it started."""
        end(self._process)
        self._listener.join(1.0)
        with contextlib.suppress(OSError):  # what was not sent any more
            if self._process.stdin is not None:
                self._process.stdin.close()
        if not isinstance(self._errors, int):
            self._errors.close()


def _listen(output: IO[bytes], decode: Callable[[bytes], Heard], hear: Callable[[Heard | None], None]) -> None:
    with output:
        for line in output:
            try:
                hear(decode(line))
            except (ValueError, msgspec.MsgspecError):  # it died in the middle of a line
                break
    hear(None)
