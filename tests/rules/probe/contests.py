"""Comparisons to build evidence from: two sides whose seeds learn as told, on a task with returns from 20 to 500."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weaklink.base.evidence.comparison import (
    ActionLayout,
    AgentAnswers,
    AgentEvaluation,
    Comparison,
    Contestant,
    ContestantTraining,
)

STEPS, EPISODES, OBSERVATIONS = 20_000, 80, 64
RANDOM, SOLVED = 20.0, 500.0
GAMMA = 0.99

Learned = Callable[[np.random.Generator], float]
"""The final return of one seed."""


def normal(mean: float, spread: float) -> Learned:
    return lambda rng: float(np.clip(rng.normal(mean, spread), 0.0, SOLVED))


def chance(share: float, *, learned: float = SOLVED, failed: float = RANDOM) -> Learned:
    """Some seeds learn it and some do not."""
    return lambda rng: float((learned if rng.random() < share else failed) + rng.normal(0.0, 5.0))


def training(
    seed: int,
    final: float,
    *,
    taken: int = STEPS,
    alike: float = 0.85,
    promise: float | None = 0.9,
    late: float | None = None,
    noise: float = 0.15,
) -> ContestantTraining:
    """A seed that climbs to its final return; `alike` is how often it takes the right action of two."""
    rng = np.random.default_rng([seed, int(abs(final))])
    ends = np.linspace(taken / EPISODES, taken, EPISODES).astype(int)
    top = final if late is None else late
    course = RANDOM + (top - RANDOM) * np.clip(1.5 * ends / taken, 0.0, 1.0)
    followed = final * (1.0 - GAMMA) + rng.normal(0.0, 0.05, 10)
    wrong = rng.random(OBSERVATIONS) > alike
    return ContestantTraining(
        seed=seed,
        steps=STEPS,
        taken=taken,
        seconds=3.0,
        gamma=GAMMA,
        ends=tuple(ends.tolist()),
        returns=tuple((course * (1.0 + noise * rng.normal(size=EPISODES))).tolist()),
        lengths=tuple([taken // EPISODES] * EPISODES),
        evaluation=AgentEvaluation(
            returns=tuple((final * (1.0 + noise * rng.normal(size=10) / 3)).tolist()),
            lengths=(100,) * 10,
            promised=() if promise is None else tuple((promise * followed).tolist()),
            discounted=() if promise is None else tuple(followed.tolist()),
        ),
        answers=AgentAnswers(
            actions=tuple((float(each),) for each in wrong),
            values=() if promise is None else tuple((promise * rng.uniform(1, 5, OBSERVATIONS)).tolist()),
        ),
        shows=() if promise is None else ("value",),
    )


def side(name: str, learned: Learned, seeds: Sequence[int], **how: Any) -> Contestant:
    return Contestant(
        name=name,
        trainings=tuple(training(seed, learned(np.random.default_rng([seed, len(name)])), **how) for seed in seeds),
        settings={"gamma": str(GAMMA)},
    )


def failing(name: str, kind: str, failure: str, seeds: Sequence[int] = range(3)) -> Contestant:
    trainings = tuple(ContestantTraining(seed=seed, steps=STEPS, failure=failure, kind=kind) for seed in seeds)
    return Contestant(name=name, trainings=trainings)


def compared(trainer: Contestant, reference: Contestant, **fields: Any) -> Comparison:
    rng = np.random.default_rng(1)
    told: dict[str, Any] = {
        "environment": "CartPole-v1",
        "steps": STEPS,
        "random": tuple(np.clip(rng.normal(RANDOM, 8.0, 20), 8.0, None).tolist()),
        "observations": OBSERVATIONS,
        "actions": ActionLayout(discrete=True, widths=(1.0,)),
    }
    return Comparison(trainer=trainer, reference=reference, **(told | fields))


def contest(ours: Learned, theirs: Learned, *, seeds: int = 3, first_seed: int = 0, **how: Any) -> Comparison:
    """Two sides with seeds of their own."""
    return compared(
        side("mine.py:train", ours, range(first_seed, first_seed + seeds), **how),
        side("sb3:PPO", theirs, range(first_seed + 1000, first_seed + 1000 + seeds)),
    )
