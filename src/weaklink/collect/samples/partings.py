"""Where the successful and the failed trajectories of a task part: the calls that they share, and the first that tells.

Tasks beyond what memory allows are left out by a hash of what they are about, so that the ones kept do not depend on
their order in the file; of one task a random choice of its trajectories is kept.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import isfinite
from typing import NamedTuple

from weaklink.base.evidence.samples import Sample, ToolCall, TrajectoryParting
from weaklink.collect.samples.trajectories import state_reached

ENDS = "ends"
"""What a trajectory does that makes no further call."""

APART = 0.5
"""Successes and failures part where at least this share of them does something else."""

NOTHING_SHARED = 1.0 - 1e-9

TELLING = 4
"""From this many trajectories of each kind on, what chance does is told from what is so."""

BEYOND_CHANCE = 2.5
"""Standard errors; there are many calls at which trajectories could part by chance."""

KNOWN = ("gold", "success", "state_reached", "reward")
"""What says whether a trajectory succeeded, the best first."""

LONGEST_NAME = 160
LONGEST_ARGUMENTS = 60
LONGEST_PATH = 64


class _Step(NamedTuple):
    tool: str
    told: str


Path = tuple[_Step, ...]


class _Trajectory(NamedTuple):
    steps: Path
    measure: str
    score: float


class _Task:
    def __init__(self, name: str) -> None:
        self.name = name
        self.seen = 0
        self.kept: list[_Trajectory] = []


class PartingFinder:
    """Takes samples one by one and finds where those of each task part."""

    def __init__(self, *, most_tasks: int = 500, most_trajectories: int = 32, seed: int = 0) -> None:
        self._most_tasks = most_tasks
        self._most_trajectories = most_trajectories
        self._random = random.Random(seed)
        self._tasks: dict[int, _Task] = {}
        self._largest: list[int] = []
        self._ranges: dict[str, tuple[float, float]] = {}
        self._told: dict[_Step, _Step] = {}

    def take(self, sample: Sample) -> None:
        """Remembers the calls of a trajectory and how it ended; passes by what is none, or tells no end."""
        if not sample.calls and sample.turns is None:
            return
        measure, score = _pick_score(sample)
        if not measure:
            return
        low, high = self._ranges.get(measure, (score, score))
        self._ranges[measure] = min(low, score), max(high, score)
        task = self._task_of(sample)
        if task is None:
            return
        task.seen += 1
        if len(task.kept) < self._most_trajectories:
            task.kept.append(self._trajectory(sample, measure, score))
        elif (place := self._random.randrange(task.seen)) < self._most_trajectories:
            task.kept[place] = self._trajectory(sample, measure, score)

    def found(self) -> tuple[TrajectoryParting, ...]:
        """Where each task with successes and failures parts, those with the most trajectories first."""
        partings = [parting for task in self._tasks.values() if (parting := self._parting(task)) is not None]
        partings.sort(key=lambda parting: (-min(parting.successes, parting.failures), parting.task))
        return tuple(partings)

    def _task_of(self, sample: Sample) -> _Task | None:
        about = (
            f"{sample.prompt}\0{sample.initial_state or ''}" if sample.prompt or sample.initial_state else sample.group
        )
        if not about:
            return None
        key = int.from_bytes(blake2b(about.encode(errors="replace"), digest_size=8).digest(), "big")
        if key in self._tasks:
            return self._tasks[key]
        if len(self._tasks) >= self._most_tasks:
            if key > -self._largest[0]:
                return None
            del self._tasks[-heapq.heappop(self._largest)]
        heapq.heappush(self._largest, -key)
        name = " ".join((sample.prompt or sample.initial_state or sample.group)[: 4 * LONGEST_NAME].split())
        self._tasks[key] = _Task(_cut(name, LONGEST_NAME))
        return self._tasks[key]

    def _trajectory(self, sample: Sample, measure: str, score: float) -> _Trajectory:
        if len(self._told) > self._most_tasks * self._most_trajectories:
            self._told.clear()
        steps = map(_make_step, sample.calls[:LONGEST_PATH])
        return _Trajectory(tuple(self._told.setdefault(step, step) for step in steps), measure, score)

    def _parting(self, task: _Task) -> TrajectoryParting | None:
        if not any(trajectory.steps for trajectory in task.kept):
            return None
        successes = [trajectory.steps for trajectory in task.kept if self._succeeded(trajectory)]
        failures = [trajectory.steps for trajectory in task.kept if not self._succeeded(trajectory)]
        if not successes or not failures:
            return None
        return _find_parting(task.name, successes, failures)

    def _succeeded(self, trajectory: _Trajectory) -> bool:
        """At least half where everything lies between 0 and 1, else above the middle of all that was seen."""
        low, high = self._ranges[trajectory.measure]
        return trajectory.score >= 0.5 if low >= 0.0 and high <= 1.0 else trajectory.score > (low + high) / 2


def _find_parting(task: str, successes: Sequence[Path], failures: Sequence[Path]) -> TrajectoryParting:
    """Follows the calls that most share until successes and failures do something else, or all have ended."""
    shared: list[str] = []
    while True:
        told = _describe_calls((*successes, *failures), len(shared))
        right, wrong = [told(path) for path in successes], [told(path) for path in failures]
        rates, others = _compute_shares(right), _compute_shares(wrong)
        words = sorted({*rates, *others})
        best = max(words, key=lambda word: rates[word] - others[word])
        worst = min(words, key=lambda word: rates[word] - others[word])
        common = max(words, key=lambda word: min(rates[word], others[word]))
        gap = sum(max(rates[word] - others[word], 0.0) for word in words)
        apart = gap >= APART and (gap > NOTHING_SHARED or not _by_chance(right, wrong))
        if apart or common == ENDS:
            return TrajectoryParting(
                task=task,
                shared=tuple(shared),
                successful=best if apart else ENDS,
                failed=worst if apart else ENDS,
                successes=len(successes),
                failures=len(failures),
            )
        successes = [path for path, word in zip(successes, right, strict=True) if word == common]
        failures = [path for path, word in zip(failures, wrong, strict=True) if word == common]
        shared.append(common)


def _describe_calls(paths: Sequence[Path], place: int) -> Callable[[Path], str]:
    """What each path does at a place; arguments that are hardly ever the same are left out: they would always part."""
    here = [path[place] for path in paths if len(path) > place]
    uses = Counter(step.tool for step in here)
    kinds = Counter(step.tool for step in set(here))

    def told(path: Path) -> str:
        if len(path) <= place:
            return ENDS
        step = path[place]
        return step.told if 2 * kinds[step.tool] <= uses[step.tool] else f"{step.tool}(...)"

    return told


def _by_chance(right: Sequence[str], wrong: Sequence[str]) -> bool:
    """Whether chance alone would part so many as often: chi-squared of the table (Wilson and Hilferty 1931).

    Very few trajectories cannot show it; they are reported as they are.
    """
    if min(len(right), len(wrong)) < TELLING:
        return False
    counts = Counter(right), Counter(wrong)
    words = counts[0] + counts[1]
    balance = (len(wrong) / len(right)) ** 0.5
    scatter = sum((counts[0][word] * balance - counts[1][word] / balance) ** 2 / words[word] for word in words)
    spread = 2 / (9 * max(len(words) - 1, 1))
    return bool(((scatter / max(len(words) - 1, 1)) ** (1 / 3) - 1 + spread) / spread**0.5 < BEYOND_CHANCE)


def _compute_shares(words: Sequence[str]) -> defaultdict[str, float]:
    return defaultdict(float, {word: count / len(words) for word, count in Counter(words).items()})


def _make_step(call: ToolCall) -> _Step:
    arguments = " ".join(call.arguments.split())
    told = f"{call.tool}({_cut(arguments, LONGEST_ARGUMENTS)})"
    return _Step(call.tool, f"{told} fails" if call.ok is False else told)


def _pick_score(sample: Sample) -> tuple[str, float]:
    reached = None
    if sample.final_state is not None and sample.expected_state is not None:
        reached = float(state_reached(sample.final_state, sample.expected_state))
    known = zip(KNOWN, (sample.gold, sample.success, reached, sample.reward), strict=True)
    return next(((name, score) for name, score in known if score is not None and isfinite(score)), ("", 0.0))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
