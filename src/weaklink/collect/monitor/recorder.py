"""Writes a recording from a thread of its own: the training never waits for a disk, and a kill loses two seconds."""

from __future__ import annotations

import atexit
import os
import threading
import time as clock
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from weaklink.base.evidence.store import Recording, encode_line
from weaklink.base.waiting import join_thread, wait_for_event
from weaklink.collect.monitor.claim import FolderClaim, claim_folder
from weaklink.collect.monitor.mailbox import Complain, print_on_stderr

EVERY = 1.0
"""Seconds between two writings."""

MOST_WAITING = 10_000
"""How many rows, and how many lines of other kinds, wait for a disk that is stuck."""

STUCK_AFTER = 10.0
"""After so many seconds in one writing the disk is said to be stuck."""

LATE = 1.5
"""How many seconds the end waits for the slow part of the context."""

FULL = frozenset((ENOSPC, EDQUOT, EFBIG))

Thing = TypeVar("Thing")


class WaitingRow(NamedTuple):
    """Numbers of one moment that wait to be written; `at` is the time of day."""

    step: float
    metrics: dict[str, float]
    time: float | None
    at: float


class Recorder:
    """A recording that is written in the background. Nothing here raises or waits once it is made.

    What cannot be written is said in one line; when the disk takes rows again, it goes on. Rows that had to be let go
    meanwhile are counted in a line `{"dropped": n}`. In a forked child, and where it was pickled, it does nothing.

    Args:
        folder: where `weaklink.jsonl` is kept; where another run is being recorded there, `folder-2` and so on.
        config: hyper-parameters.
        context: what else is known of the run.
        complain: is told, once, that something cannot be written.
        later: gives what is slow to find out of the context; called in the background.
        inside: the folder in `folder` that is written into, for a rank of several.

    Raises:
        UsageError: the folder cannot be made.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        config: Mapping[str, Any] | None = None,
        context: Mapping[str, Any] | None = None,
        complain: Complain | None = None,
        later: Callable[[], Mapping[str, Any]] | None = None,
        inside: str = "",
    ) -> None:
        claim = claim_folder(Path(folder), inside)
        self.folder = claim.folder
        self._writer: _Writer | None = _Writer(claim, dict(config or {}), dict(context or {}), complain, later)
        weakref.finalize(self, self._writer.close, 0.0).atexit = False
        self._writer.start()

    def write(self, step: float, metrics: Mapping[str, float], time: float | None = None) -> None:
        """Takes one row; without a time, the seconds since the recording was created."""
        if self._writer is not None and self._writer.listens:
            self._writer.take(WaitingRow(step, _select_numbers(metrics), time, clock.time()))

    def add(self, kind: str, content: Any) -> None:
        """Takes a line of another kind, such as a finding; `config` and `context` add to those of the header."""
        if self._writer is None or not self._writer.listens:
            return
        try:
            line = encode_line({kind: content})
        except Exception as error:  # RecursionError, or whatever a stranger's object raises
            self._writer.complain(f"A {kind} could not be recorded: {type(error).__name__}.")
        else:
            self._writer.take_line(line)

    def flush(self, wait: float = 2.0) -> bool:
        """Has everything written now; whether it was, after at most so many seconds."""
        return self._writer is None or self._writer.flush(wait)

    def close(self, wait: float = 2.0) -> None:
        """Ends the recording, after at most so many seconds; a second call does nothing."""
        if self._writer is not None:
            self._writer.close(wait)

    def __reduce__(self) -> tuple[Callable[[Path], Recorder], tuple[Path]]:
        return _make_silent_recorder, (self.folder,)


def _make_silent_recorder(folder: Path) -> Recorder:
    """A recorder as it arrives in another process: one run is written by one process."""
    recorder = Recorder.__new__(Recorder)
    recorder.folder, recorder._writer = folder, None
    return recorder


class _Writer:
    """The thread that writes, and what waits for it. Rows pass through deques, so that nobody holds a lock."""

    def __init__(
        self,
        claim: FolderClaim,
        config: dict[str, Any],
        context: dict[str, Any],
        complain: Complain | None,
        later: Callable[[], Mapping[str, Any]] | None,
    ) -> None:
        self._claim = claim
        self._header = {"config": config, "context": context}
        self._complain = complain or print_on_stderr
        self._recording: Recording | None = None
        self._rows: deque[WaitingRow] = deque()
        self._lines: deque[bytes] = deque()
        self._waiting: deque[threading.Event] = deque()
        self._dropped = self._dropped_told = 0
        self._complained = self._failing = self._ended = self._given_up = False
        self._writing_since: float | None = None
        self._pid = os.getpid()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._work, name="weaklink-recorder", daemon=True)
        self._finder: threading.Thread | None = None
        if later is not None:
            self._finder = threading.Thread(target=self._find_out, args=(later,), name="weaklink-context", daemon=True)

    def start(self) -> None:
        """Begins to write."""
        _WRITERS.add(self)
        atexit.register(self.close)
        try:
            if self._finder is not None:
                self._finder.start()
            self._thread.start()
        except RuntimeError as error:  # no thread to be had, or the interpreter is on its way out
            self._ended = True
            self.complain(f"Nothing is recorded into {self._claim.folder}: {error}.")

    @property
    def listens(self) -> bool:
        """Whether what comes is written: before the end, in the process that began."""
        return not self._ended and os.getpid() == self._pid

    def take(self, row: WaitingRow) -> None:
        """Takes a row; where too many wait, it is merged into the newest or the oldest is let go."""
        if len(self._rows) >= MOST_WAITING:
            row = self._made_room(row)
        self._rows.append(row)
        since = self._writing_since
        if since is not None and clock.monotonic() - since > STUCK_AFTER:
            self._say_cannot("the disk does not answer")

    def take_line(self, line: bytes) -> None:
        """Takes a line of another kind."""
        if len(self._lines) >= MOST_WAITING:
            with suppress(IndexError):
                self._lines.popleft()
                self._dropped += 1
        self._lines.append(line)

    def _made_room(self, row: WaitingRow) -> WaitingRow:
        with suppress(IndexError):
            newest = self._rows.pop()
            if newest.step == row.step and not newest.metrics.keys() & row.metrics.keys():
                return row._replace(metrics={**newest.metrics, **row.metrics}, time=newest.time, at=newest.at)
            self._rows.append(newest)
            self._rows.popleft()
            self._dropped += 1
        return row

    def flush(self, wait: float) -> bool:
        """Wakes the thread and waits for one writing."""
        if not self.listens:
            return False
        done = threading.Event()
        self._waiting.append(done)
        self._wake.set()
        return wait_for_event(done, wait) and not self._failing

    def close(self, wait: float = 2.0) -> None:
        """Ends the thread once it has written what there is."""
        if os.getpid() != self._pid:
            return
        self._ended = True
        self._wake.set()
        begun = self._thread.ident is not None and self._thread is not threading.current_thread()
        if wait and begun and not self._given_up:
            join_thread(self._thread, wait)
            self._given_up = self._thread.is_alive()
            if self._given_up:
                self._say_cannot("the disk does not answer")

    def complain(self, message: str) -> None:
        """Says one line, whatever becomes of it."""
        with suppress(Exception):
            self._complain(message)

    def _say_cannot(self, reason: str) -> None:
        if not self._complained:
            self._complained = True
            self.complain(f"Cannot record into {self._claim.folder}: {reason}. The training goes on without.")

    # in the thread

    def _work(self) -> None:
        while True:
            ending, waiting = self._ended, list(self._waiting)
            if ending:
                self._wait_for_later()
            self._attempt()
            for done in waiting:
                done.set()
                self._waiting.popleft()
            if ending:
                break
            self._wake.wait(EVERY)
            self._wake.clear()
        atexit.unregister(self.close)
        self._let_go()
        self._claim.release()

    def _attempt(self) -> None:
        self._writing_since = clock.monotonic()
        try:
            self._failing = True
            self._write_all(self._opened())
            self._failing = False
        except OSError as error:
            self._say_cannot(error.strerror or type(error).__name__)
            if error.errno not in FULL:  # a handle that went stale is opened afresh
                self._let_go()
        except Exception as error:  # this thread is all there is: it lives on
            self._say_cannot(str(error.__cause__ or error) or type(error).__name__)
        finally:
            self._writing_since = None

    def _opened(self) -> Recording:
        if self._recording is not None and (self._rows or self._lines) and not self._recording.is_there:
            self._let_go()
            self._say_cannot("the recording was removed")
        if self._recording is None:
            if not self._claim.folder.is_dir():
                self._claim.renew()
            self._recording = Recording(self._claim.folder, **self._header)
        return self._recording

    def _write_all(self, recording: Recording) -> None:
        def put(row: WaitingRow) -> None:
            time = max(row.at - recording.created, 0.0) if row.time is None else row.time
            recording.write(row.step, row.metrics, time)

        _drain_queue(self._rows, put)
        _drain_queue(self._lines, recording.append)
        dropped = self._dropped - self._dropped_told
        if dropped:
            recording.add("dropped", dropped)
            self._dropped_told += dropped

    def _wait_for_later(self) -> None:
        if self._finder is not None:
            join_thread(self._finder, LATE)

    def _find_out(self, later: Callable[[], Mapping[str, Any]]) -> None:
        """In a thread of its own, so that whatever is slow, or hangs, holds up no row."""
        with suppress(Exception):
            found = dict(later())
            self._header["context"] = {**self._header["context"], **found}
            self.take_line(encode_line({"context": found}))

    def _let_go(self) -> None:
        recording, self._recording = self._recording, None
        if recording is not None:
            with suppress(OSError):
                recording.close()

    def forget(self) -> None:
        """In a forked child: closes what belongs to the parent, without a word."""
        self._let_go()
        self._claim.forget()


def _drain_queue(queue: deque[Thing], put: Callable[[Thing], None]) -> None:
    """Puts what waits where it belongs; what the disk refuses goes back to the head of the queue."""
    while True:
        try:
            thing = queue.popleft()
        except IndexError:
            return
        try:
            put(thing)
        except OSError:
            queue.appendleft(thing)
            raise


def _select_numbers(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The metrics as they are now; what is no number is left out."""
    try:
        return {name: float(value) for name, value in metrics.items()}
    except Exception:
        return {name: number for name, value in dict(metrics).items() if (number := _parse_number(value)) is not None}


def _parse_number(value: Any) -> float | None:
    with suppress(Exception):
        return float(value)
    return None


_WRITERS: weakref.WeakSet[_Writer] = weakref.WeakSet()


def _forget_in_child() -> None:
    for writer in list(_WRITERS):
        writer.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
