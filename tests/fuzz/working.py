"""Inputs tried by the thousand in forked workers, each under a limit of processor time and memory.

A worker tries inputs in its own process and says which one it is at before it begins: one that hangs, takes the memory
or kills its worker is known for that, written down, and passed over by the worker that takes its place.
"""

from __future__ import annotations

import mmap
import os
import resource
import signal
import struct
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.checking import keep_regression, try_input
from tests.fuzz.targets import SHARE_SHOWN, TARGETS

SECONDS, MEMORY = 5.0, 1 << 30
"""Processor time and memory of one input, beyond what the worker has."""

SHARED = struct.Struct("<qqd")
"""What a worker tells: the number of its input, how many it has done, and its processor time when it began this one."""


@dataclass
class FuzzResult:
    """How many inputs were tried, and what failed by how it failed; `worked` are seconds of processor time."""

    tried: int = 0
    failures: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0
    worked: float = 0.0

    def add(self, told: str, what: str) -> bool:
        """Takes a failure in; whether it is of a kind that was not met before."""
        known = self.failures.setdefault(_find_kind(told), [])
        known.append(what)
        return len(known) == 1


def _find_kind(told: str) -> str:
    """Failures are alike where the last line of ours and the error are."""
    lines = [line.strip() for line in told.strip().splitlines()]
    ours = [line for line in lines if line.startswith("File ") and "weaklink" in line]
    hidden = "passed off as damage " if told.startswith("passed off") else ""
    return f"{hidden}{ours[-1] if ours else ''} {lines[-1][:80] if lines else ''}".strip()


def make_input(seed: int, number: int, names: tuple[str, ...]) -> tuple[str, bytes, bool]:
    """Input number so-and-so of a seed: the same wherever and whenever it is made."""
    draw = Random(f"{seed}-{number}")
    name = names[number % len(names)]
    return name, TARGETS[name].make(draw), draw.random() < SHARE_SHOWN


class FuzzWorker:
    """One forked process that tries every so-many-th input."""

    def __init__(self, seed: int, first: int, stride: int, names: tuple[str, ...], folder: Path) -> None:
        self.seed, self.stride, self.names, self.folder = seed, stride, names, folder
        self.shared = mmap.mmap(-1, SHARED.size)
        self.reports = os.memfd_create("reports")
        self.pid = self._taken = 0
        self.start(first)

    def start(self, first: int) -> None:
        """Forks; the child tries inputs from this number on until it is killed."""
        self._tell(first, self.done + 1 if self.pid else 0)  # the one that it was at counts as tried
        self.pid = os.fork()
        if not self.pid:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                self._work(first)
            finally:
                os._exit(0)

    @property
    def number(self) -> int:
        return int(SHARED.unpack(self.shared[:])[0])

    @property
    def done(self) -> int:
        return int(SHARED.unpack(self.shared[:])[1])

    def _tell(self, number: int, done: int) -> None:
        self.shared[:] = SHARED.pack(number, done, time.process_time())

    def _work(self, first: int) -> None:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        number, done = first, self.done
        while True:
            self._tell(number, done)
            name, content, shown = make_input(self.seed, number, self.names)
            told = try_input(TARGETS[name], content, self.folder / str(os.getpid()), shown=shown)
            if told:
                text = told.encode("utf-8", "replace")
                os.write(self.reports, struct.pack("<qi", number, len(text)) + text)
            number, done = number + self.stride, done + 1

    def overdue(self) -> bool:
        """Whether it is at one input for longer than may be, by its own processor time."""
        began = SHARED.unpack(self.shared[:])[2]
        ticks = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") - began > SECONDS

    def take_reports(self) -> list[tuple[int, str]]:
        """What it has written down since the last call, by the number of the input."""
        size = os.fstat(self.reports).st_size
        content, found, place = os.pread(self.reports, size - self._taken, self._taken), [], 0
        while place + 12 <= len(content):
            number, length = struct.unpack_from("<qi", content, place)
            if place + 12 + length > len(content):
                break
            found.append((number, content[place + 12 : place + 12 + length].decode()))
            place += 12 + length
        self._taken += place
        return found

    def end(self) -> int:
        """Kills it and waits for it; its exit status."""
        os.kill(self.pid, signal.SIGKILL)
        return os.waitpid(self.pid, 0)[1]


def fuzz(
    seed: int, first: int, inputs: int, seconds: float, names: tuple[str, ...], workers: int, kept: Path
) -> FuzzResult:
    """Tries inputs from a number on; each failure of a new kind is written into the folder `kept`."""
    for name in names:
        TARGETS[name].known()  # before the fork, so that no worker does it again
    result, began = FuzzResult(), time.monotonic()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as place:
        team = [FuzzWorker(seed, first + index, workers, names, Path(place)) for index in range(workers)]
        try:
            while result.tried < inputs and time.monotonic() - began < seconds:
                time.sleep(0.1)
                result.tried = sum(worker.done for worker in team)
                for worker in team:
                    _look_after(worker, result, kept)
                    for number, told in worker.take_reports():
                        _write_down(result, seed, number, names, told, kept)
        except KeyboardInterrupt:
            pass  # what was tried until then counts, and the next call goes on from there
        finally:
            for worker in team:
                worker.end()
    result.seconds = time.monotonic() - began
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    result.worked = spent.ru_utime + spent.ru_stime
    return result


def _look_after(worker: FuzzWorker, result: FuzzResult, kept: Path) -> None:
    """Replaces a worker that died or hangs, and writes down at which input."""
    ended, status = os.waitpid(worker.pid, os.WNOHANG)
    if ended:
        told = f"the worker died of it: status {status}"
    elif worker.overdue():
        worker.end()
        told = f"more than {SECONDS:g} s of processor time"
    else:
        return
    _write_down(result, worker.seed, worker.number, worker.names, told, kept)
    worker.start(worker.number + worker.stride)


def _write_down(result: FuzzResult, seed: int, number: int, names: tuple[str, ...], told: str, kept: Path) -> None:
    name, content, _ = make_input(seed, number, names)
    kind = told if "File " in told else f"{name}: {told}"
    if result.add(kind, f"{name} {number}"):
        file = keep_regression(name, content, kept)
        print(f"FAILED {name}, input {number} ({len(content)} bytes), kept as {file.name}\n{told}\n", flush=True)


def count_targets(result: FuzzResult) -> Counter[str]:
    """How many failures each target has."""
    return Counter(what.split()[0] for found in result.failures.values() for what in found)
