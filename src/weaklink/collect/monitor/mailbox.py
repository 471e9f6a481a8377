"""Work for somebody who may fail or hang: done in a thread of its own, with a rest after each failure."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

from weaklink.base.waiting import join_thread
from weaklink.collect.monitor.parts import FIRST_PAUSE, LONGEST_PAUSE

MOST_WAITING = 1000

Complain = Callable[[str], None]
Job = Callable[[], object]


class Mailbox:
    """A queue before one thread. Who puts a job in never waits.

    After a job that raises nothing is done for a while, longer each time, and then it is tried again. A job that takes
    too long is the last.

    Args:
        name: for whom the work is, as a user would call it.
        timeout: after so many seconds in one job it is given up on.
        complain: is told, in one line, that a job failed, that jobs are done again, or that there will be no more.
    """

    def __init__(self, name: str, *, timeout: float = 10.0, complain: Complain | None = None) -> None:
        self.name = name
        self._timeout = timeout
        self._complain = complain or print_on_stderr
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._busy_since: float | None = None
        self._rests_until, self._pause, self._failing = 0.0, FIRST_PAUSE, False
        self._pid = os.getpid()
        self._ended = self.given_up = False
        self._thread = threading.Thread(target=self._work, name=f"weaklink-{name}", daemon=True)
        try:
            self._thread.start()
            atexit.register(self.close)
        except RuntimeError as error:  # no thread to be had, or the interpreter is on its way out
            self._give_up(str(error))

    def put(self, job: Job) -> None:
        """Has a job done; where far too many wait already, it is not."""
        if self._ended or self.given_up or os.getpid() != self._pid:
            return
        if self._hangs():
            self._give_up("no answer")
        elif self._jobs.qsize() < MOST_WAITING:
            self._jobs.put(job)

    def end(self) -> None:
        """Takes no more jobs; those that wait are still done."""
        if not self._ended and os.getpid() == self._pid:
            self._ended = True
            self._jobs.put(None)

    def close(self, wait: float = 2.0) -> float:
        """Takes no more jobs and waits for those that are there, at most so many seconds; how many of them are left."""
        if os.getpid() != self._pid or self._thread is threading.current_thread():
            return wait
        self.end()
        if self.given_up:
            return wait
        left = join_thread(self._thread, wait)
        if self._thread.is_alive():
            self._give_up("no answer")
        return left

    def _hangs(self) -> bool:
        since = self._busy_since
        return since is not None and time.monotonic() - since > self._timeout

    def _give_up(self, reason: str) -> None:
        if not self.given_up:
            self.given_up = True
            self._say(f"{self.name} gets nothing more: {reason}.")

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None and not self.given_up:
            self._busy_since = time.monotonic()
            if self._busy_since >= self._rests_until:
                self._do(job)
            self._busy_since = None
        atexit.unregister(self.close)

    def _do(self, job: Job) -> None:
        try:
            job()
        except BaseException as error:  # a SystemExit would end this thread without a word
            reason = f"{type(error).__name__}: {str(error).strip()[:200]}".rstrip(": .")
            self._say(f"{self.name} failed and gets nothing for {self._pause:.0f} s: {reason}.")
            self._rests_until, self._failing = time.monotonic() + self._pause, True
            self._pause = min(2.0 * self._pause, LONGEST_PAUSE)
            return
        if self._failing:
            self._failing = False
            self._say(f"{self.name} works again.")

    def _say(self, message: str) -> None:
        with suppress(Exception):
            self._complain(message)


_quiet = False


def keep_quiet() -> None:
    """Has this process say nothing: of several ranks only the first speaks."""
    global _quiet
    _quiet = True


def print_on_stderr(message: str) -> None:
    """Says one line to whoever watches the program."""
    if not _quiet:
        print(f"weaklink: {message}", file=sys.stderr)
