"""One survey under way: the environment, the clock, what was found so far."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from weaklink.base.evidence import spaces
from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.protocols import BrokenContract, Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Play, SurveyFault
from weaklink.base.outside.activity import read_resident_memory
from weaklink.base.outside.own_code import describe_error
from weaklink.collect.survey.plan import SurveyPlan

OURS = str(Path(__file__).parents[2])
FLATTENING = spaces.__file__
TICK = 0.2
MEGABYTE = 1 << 20
SHOWN_FRAMES = 3

Report = Callable[[str, int], None]
"""Told now and then what is being done, and how many steps were made so far."""


class OutOfMemory(Exception):
    """The environment has taken more memory than the plan allows."""


class SurveyStopped(Exception):
    """The environment has failed too often to go on."""


class PolicyFailed(Exception):
    """A policy of the user's has raised something: no fault of the environment."""


class SurveySession:
    """What the stages share.

    A stage asks `over` whether its time is up, and calls `tick` now and then, which tells that all is well, watches the
    memory and is cheap. `clock` tells the time in which all limits are counted. Where steps are fast, `tick` is called
    when a count has none of the bits of `mask`. `faults`
    collects what the environment itself did wrong, `ways` the actions that lead to a prize, by the seed of their start.
    """

    def __init__(
        self,
        make: Callable[[], Environment],
        plan: SurveyPlan,
        report: Report,
        *,
        fresh: bool = True,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.make = make
        self.plan = plan
        self.fresh = fresh
        self.rng = np.random.default_rng(plan.seed)
        self.clock = clock or time.perf_counter
        self.began = self.clock()
        self.deadline = self.began + plan.seconds
        self.stage = ""
        self.steps = 0
        self.faults: list[SurveyFault] = []
        self.memory: list[tuple[int, int]] = []
        self.random: Play | None = None
        self.held: HeldState | None = None
        self.ways: dict[int, list[Any]] = {}
        self.deterministic: bool | None = None
        self.first_rows: Array | None = None
        self.mask = 15
        self._report = report
        self._next_tick = 0.0
        self._stage_end = self.deadline
        self._base_memory = 0

    def enter(self, stage: str, share: float) -> None:
        """Begins a stage, which may take this share of the time that is left."""
        self.stage = stage
        now = self.clock()
        self._stage_end = now + max(self.deadline - now, 0.0) * share
        self._next_tick = 0.0
        self.tick()

    @property
    def over(self) -> bool:
        """Whether the time of the stage is up."""
        return self.clock() >= self._stage_end

    def left(self, share: float = 1.0) -> float:
        """The moment at which this share of the stage's remaining time will have passed."""
        now = self.clock()
        return now + max(self._stage_end - now, 0.0) * share

    def tick(self) -> float:
        """Tells that all is well, at most a few times a second; the time by the clock."""
        now = self.clock()
        if now >= self._next_tick:
            self._next_tick = now + TICK
            self._report(self.stage, self.steps)
            self._watch_memory()
        return now

    def _watch_memory(self) -> None:
        used = read_own_memory()
        if not self._base_memory:
            self._base_memory = used
        if used - self._base_memory > self.plan.memory_megabytes * MEGABYTE:
            raise OutOfMemory(f"{(used - self._base_memory) // MEGABYTE} MB more than at the start")
        if self.stage == "random play":
            self.memory.append((self.steps, used))

    def blame(self, error: BaseException, call: str) -> None:
        """Notes an exception that the environment raised; an exception of our own is raised again.

        What an environment handed out and cannot be made a number fails in our own code, but is not our fault.
        """
        if isinstance(error, PolicyFailed):
            raise error
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [frame for frame in frames if not frame.filename.startswith(OURS) and not is_standard(frame.filename)]
        if not theirs and call != "make" and not _handed_out(error, frames):
            raise error
        kind = "memory" if isinstance(error, OutOfMemory | MemoryError) else "raised"
        where = tuple(f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in theirs[-SHOWN_FRAMES:])
        fault = SurveyFault(
            kind=kind, stage=self.stage, call=call, step=self.steps, message=describe_error(error), where=where
        )
        self.faults.append(fault)
        if kind == "memory" or len(self.faults) >= 3:
            raise SurveyStopped from error


def _handed_out(error: BaseException, frames: traceback.StackSummary) -> bool:
    """Whether we failed at what the environment gave us: right where it was taken, or on the way into a row."""
    if isinstance(error, OutOfMemory | MemoryError | BrokenContract):
        return True
    if isinstance(error, ValueError | TypeError) and len(frames) <= 2:
        return True
    return isinstance(error, LookupError | ValueError | TypeError) and frames[-1].filename == FLATTENING


def is_standard(file: str) -> bool:
    """Whether a file belongs to Python itself."""
    return file.startswith(("<frozen", str(Path(traceback.__file__).parent))) and "site-packages" not in file


def read_own_memory() -> int:
    """The bytes that this process holds in memory; the most it ever held where that is all that can be known."""
    now = read_resident_memory("self")
    if now:
        return now
    try:
        import resource
        import sys

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    except ImportError:
        return 0


def name_type(value: object) -> str:
    """The type of a value, for messages."""
    return type(value).__name__
