"""What watching costs a training on several ranks: turns with and without it in one training, one after the other.

    python bench/ranks_cost.py [--ranks 2] [--steps 6000] [--turn 50] [--starts 5] [--style ddp] [--width 256]

The training is bench/ranked/train.py on real processes over gloo, watched by what `weaklink run` puts into the process
of a script. Two trainings that do the same differ by several per cent in the time they take, so both kinds of turn lie
in one training, in the order ABBA, at the same steps on all ranks: in every other one all of weaklink's hooks are taken
out of torch, and the monitor's clock stands still. Counted is the processor time of all threads of all ranks; what the
monitor's threads do meanwhile counts as watching in either kind. The first steps, with the checks of the first updates
and most looks at the ranks, stand apart: they are in the cost of a start, the processor time of a whole short training
watched less that of one alone, in alternated pairs. Both come with a bootstrap interval of 95 %.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

import ranks

FIRST = 1024
"""Steps before anything is counted."""

SHORT = 64
"""Steps of a training by which the cost of a start is known."""

MARK = "turns "


class StoppableClock:
    """A clock of the monitor that stands still while the watching is switched off."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.slept, self.stopped_at = clock, 0.0, None

    def __call__(self) -> float:
        return (self.clock() if self.stopped_at is None else self.stopped_at) - self.slept

    def stop(self) -> None:
        self.stopped_at = self.clock()

    def go_on(self) -> None:
        self.slept, self.stopped_at = self.slept + self.clock() - self.stopped_at, None


class Turns:
    """Switches the watching of this process off and on again in turns, and counts what each turn took."""

    def __init__(self, length: int) -> None:
        import torch
        from torch.nn.modules import module
        from torch.optim import optimizer

        self.length, self.steps, self.on = length, 0, True
        self.taken: list[tuple[bool, float, float]] = []
        self.last: tuple[float, float] | None = None
        self.hooks = [
            getattr(place, name)
            for place in (module, optimizer)
            for name in dir(place)
            if name.startswith("_global_") and name.endswith("_hooks")
        ]
        self.kept: list[dict] = []
        self.backward = self.heard = torch.autograd.backward
        self.clocks: list[StoppableClock] = []
        zero = torch.optim.Optimizer.zero_grad

        def zero_grad(optimizer, *given, **named):
            self.steps += 1
            if self.steps >= FIRST and (self.steps - FIRST) % length == 0:
                self.turn()
            return zero(optimizer, *given, **named)

        torch.optim.Optimizer.zero_grad = zero_grad

    def turn(self) -> None:
        now = time.process_time(), count_threads()
        if self.last is not None:
            self.taken.append((self.on, now[0] - self.last[0], now[1] - self.last[1]))
        wanted = len(self.taken) % 4 in (0, 3)
        if wanted != self.on:
            self.switch(on=wanted)
        self.last = time.process_time(), count_threads()

    def switch(self, *, on: bool) -> None:
        import torch

        self.on = on
        if not self.clocks:
            monitor = find_monitor()
            for governor in (monitor._governor, monitor._judging):
                governor._clock = StoppableClock(governor._clock)
                self.clocks.append(governor._clock)
            for track in monitor._hooks._tracks.values():
                track.clock = StoppableClock(track.clock)
                self.clocks.append(track.clock)
        if on:
            for place, content in zip(self.hooks, self.kept, strict=True):
                place.update(content)
            torch.autograd.backward = self.heard
        else:
            self.kept = [dict(place) for place in self.hooks]
            for place in self.hooks:
                place.clear()
            self.heard, torch.autograd.backward = torch.autograd.backward, self.backward
        for clock in self.clocks:
            clock.go_on() if on else clock.stop()


def count_threads() -> float:
    """Processor time of the monitor's threads."""
    others = [each for each in threading.enumerate() if each is not threading.main_thread() and each.ident]
    return sum(time.clock_gettime(time.pthread_getcpuclockid(each.ident)) for each in others)


def find_monitor():
    from weaklink.verbs.run import script

    return script._watch.loop.monitor if script._watch is not None else None


def train_in_turns(case: ranks.Case, folder: Path, length: int) -> list[float]:
    """What each pair of turns cost watched, as a share of what it cost alone, all ranks together."""
    told = [json.loads(read_line(file)) for file in ranks.run_case(case, folder, around=lambda: tell_turns(length))]
    for rank, one in enumerate(told):
        print(f"rank {rank}: timed by the monitor itself {one['spent']}")
    turns = np.array([one["taken"] for one in told])  # rank, turn, (watched, all threads, the monitor's)
    watched, whole, threads = turns[0, :, 0] > 0, turns[..., 1].sum(0), turns[..., 2].sum(0)
    pairs = len(watched) // 2
    alone = (whole - threads)[~watched].sum() / turns.shape[0] / (~watched).sum() / length
    print(f"a step takes {1e3 * alone:.2f} ms of processor time a rank alone")
    shares = []
    for first, second in zip(range(0, 2 * pairs, 2), range(1, 2 * pairs, 2), strict=True):
        on, off = (first, second) if watched[first] else (second, first)
        shares.append((whole[on] + threads[off]) / (whole[off] - threads[off]) - 1.0)
    return shares


@contextlib.contextmanager
def tell_turns(length: int) -> Iterator[None]:
    """In the process of a rank: around its training."""
    turns = Turns(length)
    yield
    spent = {kind: round(seconds, 3) for kind, seconds in find_monitor()._governor.seconds.items()}
    print(MARK + json.dumps({"taken": turns.taken, "spent": spent}), flush=True)


def read_line(printed: Path) -> str:
    """What a rank told of its turns."""
    return next(line for line in printed.read_text().splitlines() if line.startswith(MARK)).removeprefix(MARK)


def measure_starts(case: ranks.Case, pairs: int, folder: Path) -> list[float]:
    """Processor seconds a rank that watching adds to a short training, in alternated pairs."""
    added, weights = [], set()
    for number in range(pairs):
        seconds = {}
        for watched in (False, True) if number % 2 else (True, False):
            began = resource.getrusage(resource.RUSAGE_CHILDREN)
            printed = ranks.run_case(case, folder / f"{number}-{watched}", watched=watched)
            ended = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds[watched] = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
            weights.add(ranks.read_weights(printed[0]))
        added.append((seconds[True] - seconds[False]) / case.ranks)
    if len(weights) > 1:
        raise RuntimeError(f"watching changed the weights: {weights}")
    return added


def find_interval(values: Sequence[float]) -> tuple[float, float]:
    """The bootstrap interval of a mean."""
    drawn = np.random.default_rng(0).choice(values, (10_000, len(values))).mean(1)
    return float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--turn", type=int, default=50, help="steps of a turn")
    parser.add_argument("--starts", type=int, default=5, help="pairs of short trainings; 0 for none")
    parser.add_argument("--style", default="ddp", choices=["ddp", "hand", "rl"])
    parser.add_argument("--width", type=int, default=256, help="units of a layer")
    parser.add_argument("--batch", type=int, default=64, help="rows of a batch of one rank")
    given = parser.parse_args()
    ranks.import_once()
    ranks.PATIENCE = 3600.0
    kept = Path(tempfile.mkdtemp())
    try:
        case = ranks.Case("", given.style, ranks=given.ranks, steps=given.steps)
        case = case._replace(width=given.width, batch=given.batch)
        shares = train_in_turns(case, kept / "turns", given.turn)
        logs = np.log1p(shares)  # a mean of noisy ratios is too high
        low, high = np.expm1(find_interval(logs))
        print(
            f"{given.style} on {given.ranks} ranks: watching adds {np.expm1(logs.mean()):+.2%} ({low:+.2%} to "
            f"{high:+.2%}), median {np.median(shares):+.2%}, {len(shares)} pairs of {given.turn} steps after the "
            f"first {FIRST:,}",
            flush=True,
        )
        if given.starts:
            added = measure_starts(case._replace(steps=SHORT), given.starts, kept)
            low, high = find_interval(added)
            print(
                f"a start and {SHORT} steps: {np.mean(added):+.2f} s a rank ({low:+.2f} to {high:+.2f}), "
                f"{len(added)} pairs"
            )
    finally:
        shutil.rmtree(kept, ignore_errors=True)


if __name__ == "__main__":
    main()
