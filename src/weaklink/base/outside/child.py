"""Processes that run the user's code: started, limited, listened to, and ended with everything that they started."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import msgspec

from weaklink.base.backports import SAFE_PATH, Self
from weaklink.base.outside import guard
from weaklink.base.outside.activity import read_activity, read_resident_memory
from weaklink.base.outside.interrupts import pass_interrupts_on
from weaklink.base.outside.lending import relay_command
from weaklink.base.outside.messages import pack_line, unpack_line
from weaklink.base.outside.output import KeptOutput, last_words
from weaklink.base.outside.ownership import get_ownership
from weaklink.base.waiting import join_thread

CHUNK = 1 << 20
"""Bytes read at once of what is printed: the most that Linux lets a pipe hold by default."""
POLL = 0.1
FAREWELL = 1.0
"""Seconds for the last words of a process to arrive, and to end by itself once it is interrupted or says no more."""

HEARING = 30.0
"""Seconds for what an ended process said to be read: unpacking a hundred megabytes takes seconds on a busy machine."""

STARVED = 0.5
"""Of a core: a process that wants to run and had less of one was kept from its work by others."""

MOST_PATIENCE = 4.0
"""Times its seconds: as long as that a process is waited for that was starved, or not looked at."""

LET_GO_ON = 0.5
"""Seconds for one that others kept from its work: what it was about to say, it can say then."""

STALLED = 1.0
"""Seconds between two looks, which come every tenth of a second: the machine stood still, for us and for others."""

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")

Heard = TypeVar("Heard")


def make_module_command(module: str, *, safe_path: bool = False) -> list[str]:
    """The command that runs a module in this Python; what it prints is there even when it dies (-u).

    With a safe path it imports nothing from the folder in which it is run.
    """
    return [sys.executable, "-u", *(SAFE_PATH if safe_path else ("-m",)), module]


class ChildProcess(Generic[Heard]):
    """A running command in a session of its own. A `Supervisor` starts it and tells of its messages and its end.

    `late`, `heavy` and `mute` say why it was ended before it ended by itself: its time was up, it took more memory than
    it may, or it closed its connection to us.
    """

    def __init__(
        self,
        words: Sequence[str],
        hears: type[Heard] | None,
        hear: Callable[[ChildProcess[Heard], Heard | None], None],
        *,
        folder: str = "",
        environment: Mapping[str, str] | None = None,
        threads: int = 0,
        memory: int = 0,
        interrupted: bool = False,
        output: Path | None = None,
    ) -> None:
        self._mark, self._memory, self._interrupted = get_ownership().next_mark(), memory, interrupted
        self._hears, self._hear = hears, hear
        self.closed = self.late = self.heavy = self.mute = False
        self.code, self.deadline, self.taken = 0, float("inf"), 0.0
        self.since, self._used = time.monotonic(), 0.0
        self._looked, self._last = self.since, self.deadline
        self._silent: float | None = None
        self._exited = 0.0
        self._kept = KeptOutput(output)
        few = dict.fromkeys(THREADS, str(threads)) if threads else {}
        marks = f"{os.environ.get(guard.OWNER, '')} {self._mark}".strip()
        words, told = relay_command(words, {**few, **os.environ, **(environment or {}), guard.OWNER: marks})
        with pass_interrupts_on() if interrupted else contextlib.nullcontext():
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE if hears else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if hears else subprocess.STDOUT,
                cwd=folder or None,
                start_new_session=True,
                env=told,
            )
        self.pid = self._process.pid
        get_ownership().tell(guard.PROCESS, "+", str(self.pid))
        assert self._process.stdout is not None
        printed = self._process.stderr or self._process.stdout
        self._listeners = [threading.Thread(target=self._keep, args=(printed,), daemon=True)]
        if hears:
            self._listeners.append(threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True))
        for listener in self._listeners:
            listener.start()

    def _keep(self, printed: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError, ImportError, AttributeError):
            import fcntl

            fcntl.fcntl(printed, fcntl.F_SETPIPE_SZ, CHUNK)  # whoever prints a lot then waits for us less often
        with contextlib.suppress(OSError, ValueError), printed:
            while chunk := os.read(printed.fileno(), CHUNK):
                self._kept.add(chunk)
        if not self._hears:
            self._hear(self, None)

    def _listen(self, output: IO[bytes]) -> None:
        assert self._hears is not None
        try:
            with contextlib.suppress(OSError, ValueError, msgspec.MsgspecError), output:  # it may die within a line
                for line in output:
                    self._hear(self, unpack_line(line, self._hears))
        finally:
            self._hear(self, None)

    def say(self, message: Any) -> None:
        """Sends it a message.

        Raises:
            ValueError: this cannot be sent.
        """
        assert self._process.stdin is not None
        line = pack_line(message)
        if self.closed:
            return
        with contextlib.suppress(OSError):  # it has died; its end is told
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def allow(self, seconds: float) -> None:
        """Gives it so many seconds from now on."""
        self.since, self._used = time.monotonic(), read_activity(self.pid)[1]
        self._looked = self.since
        self.deadline, self._last = self.since + seconds, self.since + MOST_PATIENCE * seconds

    def fall_silent(self) -> None:
        """Notes that nothing more will come of it."""
        self._silent = time.monotonic()

    def is_over(self) -> bool:
        """Whether it ended, closed its way to us, or broke a limit."""
        now = time.monotonic()
        if self._has_exited():
            self._exited = self._exited or now
            # what it started may hold its output open
            return self._silent is not None or now - self._exited > FAREWELL
        if now - self._looked > STALLED:
            self.deadline = min(self.deadline + now - self._looked, self._last)
        self._looked = now
        self.late = now > self.deadline and not self._is_starved(now)
        if now > self.deadline and not self.late:  # it may answer yet, once it is let go on
            self.deadline = min(now + LET_GO_ON, self._last)
        self.heavy = bool(self._memory) and read_resident_memory(self.pid) > self._memory
        self.mute = self._hears is not None and self._silent is not None and self._has_had_its_farewell(self._silent)
        return self.late or self.heavy or self.mute

    def _is_starved(self, now: float) -> bool:
        """Whether others kept it from the processor: a machine that is busy makes no training and no call hang."""
        if now > self._last:
            return False
        held_up, used = read_activity(self.pid)
        return held_up and used - self._used < STARVED * (now - self.since)

    def _has_had_its_farewell(self, since: float) -> bool:
        """Whether it had the time to end by itself; one that is held up gets more."""
        passed = time.monotonic() - since
        return passed > FAREWELL and (passed > MOST_PATIENCE * FAREWELL or not read_activity(self.pid)[0])

    def _has_exited(self) -> bool:
        """It is not waited for, so that its number stays its own until all that it started is ended."""
        if self._process.returncode is not None or not hasattr(os, "waitid"):
            return self._process.poll() is not None
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def close(self) -> None:
        """Ends it and everything that it started."""
        if self.closed:
            return
        self.closed = True
        if self.late and self._interrupted:
            self._interrupt()
        self.taken = time.monotonic() - self.since
        family = guard.find_family(self._is_own, self.pid)
        guard.end_group(self.pid)
        guard.end_each(family)
        self.code = self._process.wait()
        guard.end_marked(self._is_own)
        get_ownership().tell(guard.PROCESS, "-", str(self.pid))
        keeper, *hearers = self._listeners
        join_thread(keeper, FAREWELL)
        for hearer in hearers:
            join_thread(hearer, HEARING)
        self._kept.close()
        with contextlib.suppress(OSError):  # what was not sent any more
            if self._process.stdin is not None:
                self._process.stdin.close()

    def _is_own(self, mark: str) -> bool:
        return mark == self._mark

    def _interrupt(self) -> None:
        """As Ctrl-C does: a Python program then says where it was."""
        self._process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
        since = time.monotonic()
        while not self._has_exited() and not self._has_had_its_farewell(since):
            time.sleep(0.01)

    @property
    def printed(self) -> str:
        """What was kept of what it printed."""
        return self._kept.text()

    def last_words(self) -> str:
        """The signal that it died of or its exit code, and the last line that it printed."""
        if self.mute:
            return "it closed its connection to weaklink"
        return last_words(self.code, self.printed)


class Supervisor(Generic[Heard]):
    """Children side by side: one place where their messages and their ends arrive. Closing it ends all of them."""

    def __init__(self) -> None:
        self._heard: queue.Queue[tuple[ChildProcess[Heard], Heard | None]] = queue.Queue()
        self.children: list[ChildProcess[Heard]] = []

    def start(
        self,
        words: Sequence[str],
        hears: type[Heard] | None = None,
        first: Any = None,
        *,
        seconds: float = float("inf"),
        folder: str = "",
        environment: Mapping[str, str] | None = None,
        threads: int = 0,
        memory: int = 0,
        interrupted: bool = False,
        output: Path | None = None,
    ) -> ChildProcess[Heard]:
        """Starts one.

        Args:
            words: the command.
            hears: what its messages are; without, it is a command of the user's that sends and hears none.
            first: the message that it is sent at once.
            seconds: how long it may take until the next `allow`.
            folder: in which it runs.
            environment: variables on top of ours.
            threads: how many a library may use for one operation, unless the user has said so.
            memory: how many bytes it may hold; 0 for as many as there are.
            interrupted: whether it is interrupted before it is ended because its time is up.
            output: a file for what it prints.

        Raises:
            OSError: it cannot be started.
        """
        child = ChildProcess(
            words,
            hears,
            lambda child, message: self._heard.put((child, message)),
            folder=folder,
            environment=environment,
            threads=threads,
            memory=memory,
            interrupted=interrupted,
            output=output,
        )
        child.allow(seconds)
        self.children.append(child)
        if first is not None:
            child.say(first)
        return child

    def wait(self, seconds: float = float("inf")) -> tuple[ChildProcess[Heard], Heard | None] | None:
        """The next message and whose it is; None for the message where that child is over, and was ended.

        None alone where nothing happens for so many seconds, or nobody is left.
        """
        until = time.monotonic() + seconds
        while True:
            # what has arrived comes first: who has answered is not late, however long the answer was left lying
            if self._heard.empty():
                self._end_who_is_over()
            event = self._take(max(min(POLL, until - time.monotonic()), 0.0))
            if event is not None or not self.children or time.monotonic() >= until:
                return event

    def _take(self, seconds: float) -> tuple[ChildProcess[Heard], Heard | None] | None:
        try:
            child, message = self._heard.get(timeout=seconds)
        except queue.Empty:
            return None
        if child not in self.children:
            return None
        if message is None and not child.closed:
            child.fall_silent()
            return None
        if message is None:
            self.children.remove(child)
        return child, message

    def _end_who_is_over(self) -> None:
        """Ends who is over. That is told after all that it said, which may still be on its way to us."""
        for child in self.children:
            if not child.closed and child.is_over():
                child.close()
                self._heard.put((child, None))

    def end(self, child: ChildProcess[Heard]) -> None:
        """Ends one of them."""
        if child in self.children:
            self.children.remove(child)
        child.close()

    def close(self) -> None:
        """Ends all of them."""
        while self.children:
            self.end(self.children[-1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
