"""Texts measured on every core: by this process, and once there are many of them by others beside it.

The measures come back in the order of the texts and are the same whoever made them. A process that cannot be started
or that dies is done without.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec

from weaklink.base.evidence.samples import Sample
from weaklink.collect.samples.measuring import Measure, frame, measure, written

BATCH = 256
BATCH_CHARACTERS = 1 << 21
WORTH_HELP = 20_000
"""Rows after which other processes are started: fewer are measured before one would be ready."""
MOST_HELPERS = 2
MOST_WAITING = 8

Measured = tuple[Sample, Measure]


class Crew:
    """Gives samples back with the measures of their completions.

    Args:
        helpers: how many processes may be started; as many as there are spare cores, but few, where it is not said.
        worth_help: after how many samples they are.
    """

    def __init__(self, helpers: int | None = None, *, worth_help: int = WORTH_HELP) -> None:
        self._most = min(MOST_HELPERS, _cores() - 1) if helpers is None else helpers
        self._worth_help = worth_help
        self._helpers: list[_Helper] = []
        self._free: deque[_Helper] = deque()
        self._threads: ThreadPoolExecutor | None = None
        self._batch: list[Sample] = []
        self._characters = 0
        self._seen = 0
        self._waiting: deque[tuple[list[Sample], Future[list[Measure]]]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: type[BaseException] | BaseException | TracebackType | None) -> None:
        for helper in self._helpers:
            helper.end()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)

    def give(self, sample: Sample) -> Iterator[Measured]:
        """Takes a sample, and gives those back whose measures are there."""
        self._batch.append(sample)
        self._characters += len(sample.completion)
        if len(self._batch) >= BATCH or self._characters >= BATCH_CHARACTERS:
            self._hand_out()
            while self._waiting and (len(self._waiting) > MOST_WAITING or self._waiting[0][1].done()):
                yield from self._first()

    def rest(self) -> Iterator[Measured]:
        """Gives those back that are still missing."""
        self._hand_out()
        while self._waiting:
            yield from self._first()

    def _hand_out(self) -> None:
        """Has the batch measured: by a helper that has little to do, else here."""
        batch, self._batch, self._characters = self._batch, [], 0
        self._seen += len(batch)
        if self._seen > self._worth_help and self._most > 0:
            self._start()
        texts = [sample.completion for sample in batch]
        busy = sum(not made.done() for _, made in self._waiting)
        if self._threads is not None and busy < 2 * len(self._helpers):
            made = self._threads.submit(self._asked, texts)
        else:
            made = Future()
            made.set_result(list(map(measure, texts)))
        self._waiting.append((batch, made))

    def _first(self) -> Iterator[Measured]:
        batch, made = self._waiting.popleft()
        return zip(batch, made.result(), strict=True)

    def _asked(self, texts: list[str]) -> list[Measure]:
        """Runs in a thread: has a helper measure, or does it itself where there is none or it fails."""
        if self._free:
            helper = self._free.popleft()
            try:
                measures = helper.measures(texts)
            except (OSError, EOFError, ValueError, msgspec.MsgspecError):
                helper.end()
            else:
                self._free.append(helper)
                return measures
        return list(map(measure, texts))

    def _start(self) -> None:
        is_python = bool(sys.executable) and not getattr(sys, "frozen", False)
        with suppress(OSError):
            for _ in range(self._most if is_python else 0):
                self._helpers.append(_Helper())
        self._free.extend(self._helpers)
        self._most = 0
        if self._helpers:
            self._threads = ThreadPoolExecutor(len(self._helpers), thread_name_prefix="weaklink-measuring")


class _Helper:
    """Another process that measures."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "weaklink.collect.samples.measuring",
            ],  # -P: nothing is imported from where it runs
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def measures(self, texts: list[str]) -> list[Measure]:
        """Has texts measured.

        Raises:
            OSError, EOFError: the process is gone.
            ValueError: a text cannot be sent, or the answer is not whole.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        written(self._process.stdin, texts)
        answer: list[Measure] = frame(self._process.stdout)
        if len(answer) != len(texts):
            raise ValueError("fewer measures than texts")
        return answer

    def end(self) -> None:
        """Ends the process; it holds nothing that could be lost."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _cores() -> int:
    allowed: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1
