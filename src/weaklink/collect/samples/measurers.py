"""Samples measured on every core: by this process, and once there are many of them by others beside it.

The measures come back in the order of the samples and are the same whoever made them. A process that cannot be started
or that dies is done without.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

import msgspec

from weaklink.base.backports import Self
from weaklink.base.evidence.samples import Sample
from weaklink.base.outside.child import ChildProcess, Supervisor, make_module_command
from weaklink.base.outside.worker_pool import NotLoaded, WorkerPool
from weaklink.collect.samples.measuring import BatchMeasures, SampleBatch, SampleMeasure, measure

BATCH = 256
BATCH_CHARACTERS = 1 << 21
WORTH_HELP = 5_000
"""Rows after which other processes are started: fewer are measured before one would be ready."""
MOST_HELPERS = 2
MOST_WAITING = 8
POLL = 0.05
LOADING, PATIENCE = 60.0, 120.0
"""Seconds that a process may take to start and to measure one batch, which takes far below one: it hangs otherwise."""

Measured = tuple[Sample, SampleMeasure]


class Measurers:
    """Gives samples back with their measures.

    Args:
        helpers: how many processes may be started; as many as there are spare cores, but few, where it is not said.
        worth_help: after how many samples they are.
    """

    def __init__(self, helpers: int | None = None, *, worth_help: int = WORTH_HELP) -> None:
        self._most = min(MOST_HELPERS, _count_cores() - 1) if helpers is None else helpers
        self._worth_help = worth_help
        self.workers: WorkerPool[SampleBatch, BatchMeasures] = WorkerPool(
            _start_worker,
            ready=lambda reply: reply.ready,
            done=lambda reply: not reply.ready,
            seconds=lambda batch: PATIENCE,
        )
        self._batch: list[Sample] = []
        self._characters = 0
        self._seen = self._given = 0
        self._waiting: dict[int, _WaitingBatch] = {}
        self._made: dict[int, list[SampleMeasure]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.workers.close()

    def give(self, sample: Sample) -> Iterator[Measured]:
        """Takes a sample, and gives those back whose measures are there."""
        self._batch.append(sample)
        self._characters += len(sample.completion)
        if len(self._batch) >= BATCH or self._characters >= BATCH_CHARACTERS:
            self._hand_out()
            self._take(0.0)
            while self._waiting and (len(self._waiting) > MOST_WAITING or next(iter(self._waiting)) in self._made):
                yield from self._first()

    def rest(self) -> Iterator[Measured]:
        """Gives those back that are still missing."""
        self._hand_out()
        while self._waiting:
            yield from self._first()

    def _hand_out(self) -> None:
        """Has the batch measured: by a worker that has little to do, else here."""
        batch, self._batch, self._characters = self._batch, [], 0
        self._given += 1
        self._waiting[self._given] = _WaitingBatch(self._seen, batch)
        self._seen += len(batch)
        if self._seen > self._worth_help and self._most > 0:
            self._start()
        if self.workers.open < 2 * self.workers.size:
            self._send(self._given)
        else:
            self._measure_here(self._given)

    def _send(self, number: int) -> None:
        """Sends a batch to a worker; what cannot be packed, such as half a character, is measured here."""
        waiting = self._waiting[number]
        try:
            packed = msgspec.msgpack.encode(waiting.samples)
        except (UnicodeEncodeError, OverflowError):
            self._measure_here(number)
            return
        self.workers.begin(SampleBatch(number, waiting.row, packed))

    def _start(self) -> None:
        is_python = bool(sys.executable) and not getattr(sys, "frozen", False)
        with suppress(OSError):
            self.workers.grow(self._most if is_python else 0)
        self._most = 0

    def _first(self) -> Iterator[Measured]:
        number = next(iter(self._waiting))
        while number not in self._made:
            self._take(POLL)
        return zip(self._waiting.pop(number).samples, self._made.pop(number), strict=True)

    def _take(self, seconds: float) -> None:
        """Takes what the workers have made; what they did not is made here."""
        try:
            while (end := self.workers.finished(seconds)) is not None:
                number = end.job.number
                if end.reply is not None and len(end.reply.rows) == len(self._waiting[number].samples):
                    self._made[number] = end.reply.rows
                else:
                    self._measure_here(number)
        except (NotLoaded, OSError):  # none is left, or no other can be started
            self.workers.close()
        if not self.workers.size:
            for number in self._waiting.keys() - self._made.keys():
                self._measure_here(number)

    def _measure_here(self, number: int) -> None:
        waiting = self._waiting[number]
        self._made[number] = [measure(sample, row) for row, sample in enumerate(waiting.samples, waiting.row)]


class _WaitingBatch(NamedTuple):
    """Samples whose measures are missing, and the row of the first."""

    row: int
    samples: list[Sample]


def _start_worker(supervisor: Supervisor[BatchMeasures]) -> ChildProcess[BatchMeasures]:
    # -P: nothing is imported from where it runs
    return supervisor.start(
        make_module_command("weaklink.collect.samples.measuring", safe_path=True), BatchMeasures, seconds=LOADING
    )


def _count_cores() -> int:
    allowed: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1
