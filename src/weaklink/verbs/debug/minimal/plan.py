"""How long the emergency procedure takes, and what its processes are asked for and answer."""

from __future__ import annotations

import msgspec

from weaklink.verbs.debug.minimal.evidence import MinimalLook, TaskVersion, TrainingAttempt
from weaklink.verbs.debug.target import CaseTarget

SHORTEST_TRAINING, LONGEST_TRAINING = 3.0, 25.0
FEWEST_STEPS, FEWEST_WHEN_LATE = 1_000, 5_000
"""Steps below which a training that was not learnt from says nothing; more of them where it was cut short."""

MOST_PARTS = 6


class MinimalPlan(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` bounds the whole, starting processes not counted; each training makes `steps` at most.

    Each version is tried with `seeds` seeds, counted from `seed`.
    """

    seconds: float = 100.0
    steps: int = 12_000
    seeds: int = 2
    seed: int = 0
    workers: int = 2
    episodes: int = 20

    def for_each(self, trainings: int) -> float:
        """Seconds of one training where there are so many."""
        share = self.seconds * self.workers / max(trainings, 1)
        return min(max(share, SHORTEST_TRAINING), LONGEST_TRAINING)


class AttemptJob(msgspec.Struct, frozen=True, kw_only=True):
    """A training to make."""

    task: TaskVersion
    algorithm: str
    gamma: float
    parts: tuple[str, ...]
    seed: int
    steps: int
    seconds: float
    episodes: int


class AttemptStart(msgspec.Struct, frozen=True, kw_only=True):
    """The first thing that a process is told; `look` asks for what is known of the target."""

    target: CaseTarget
    seed: int
    look: bool = False
    seconds: float = 10.0


class AttemptReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a process: it is `ready`, with what it `looked` at; how far a training is; or an attempt."""

    ready: bool = False
    unusable: str = ""
    looked: MinimalLook | None = None
    steps: int | None = None
    attempt: TrainingAttempt | None = None
