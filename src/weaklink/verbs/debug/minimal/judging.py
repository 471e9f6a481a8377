"""What became of each version: did the smallest agent do better than chance?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.stats import compare_means
from weaklink.verbs.debug.minimal.evidence import (
    FAILED,
    LEARNT,
    NOT_LEARNT,
    NOTHING_TO_LEARN,
    SOMETIMES,
    UNCLEAR,
    PartEffect,
    TaskVersion,
    TrainingAttempt,
    VersionResult,
)
from weaklink.verbs.debug.minimal.plan import FEWEST_STEPS, FEWEST_WHEN_LATE
from weaklink.verbs.debug.minimal.playing import FEWEST_EPISODES

ERRORS = 2.5
"""Standard errors by which two means must differ at least."""

TINY = 1e-9
MORE, LESS, SAME = "more", "less", "same"


def judge_version(task: TaskVersion, attempts: Sequence[TrainingAttempt]) -> VersionResult:
    """A version after all its trainings."""
    done = [attempt for attempt in attempts if not attempt.failure]
    if not done:
        why = attempts[0].failure if attempts else "it was not tried"
        return VersionResult(task=task, state=FAILED if attempts else UNCLEAR, attempts=tuple(attempts), why=why)
    state, why = _decide_state(task, done)
    return VersionResult(
        task=task,
        state=state,
        attempts=tuple(attempts),
        random=_average_seeds(done, task.part, "random"),
        trained=_average_seeds(done, task.part, "trained"),
        steps=max(attempt.steps for attempt in done),
        why=why,
    )


def _decide_state(task: TaskVersion, done: Sequence[TrainingAttempt]) -> tuple[str, str]:
    counted = [attempt for attempt in done if _has_enough(attempt, task.part)]
    if not counted:
        return UNCLEAR, "too few episodes were played in the time"
    everything = [_join_returns(attempt, task.part) for attempt in counted]
    if not all(np.isfinite(each).all() for each in everything):
        return UNCLEAR, "returns are not finite numbers"
    better = [_is_better(attempt, task.part) for attempt in counted]
    if any(better):
        some = f"with {sum(better)} of {len(better)} seeds"
        return (LEARNT, "") if all(better) else (SOMETIMES, some)
    if not any(attempt.steps >= _get_fewest_steps(attempt) for attempt in counted):
        fewest = min(attempt.steps for attempt in done)
        return UNCLEAR, f"only {fewest:,} steps were made in the time: too few to tell"
    if all(float(np.ptp(each)) <= TINY * _measure_size(each) for each in everything):
        value = everything[0][0]
        return NOTHING_TO_LEARN, f"every episode, random or trained, came to {value:.4g}: nothing is ever told apart"
    return NOT_LEARNT, ""


def _get_fewest_steps(attempt: TrainingAttempt) -> int:
    return FEWEST_WHEN_LATE if attempt.late else FEWEST_STEPS


def _has_enough(attempt: TrainingAttempt, part: str) -> bool:
    return min(len(attempt.random.paid(part)), len(attempt.trained.paid(part))) >= FEWEST_EPISODES


def _join_returns(attempt: TrainingAttempt, part: str) -> Array:
    return np.asarray((*attempt.random.paid(part), *attempt.trained.paid(part)), dtype=float)


def _measure_size(values: Array) -> float:
    return max(1.0, float(np.abs(values).max()))


def _is_better(attempt: TrainingAttempt, part: str) -> bool:
    first, second = np.asarray(attempt.trained.paid(part)), np.asarray(attempt.random.paid(part))
    return compare_returns(first, second) == MORE


def compare_returns(trained: Array, random: Array) -> str:
    """Whether the trained agent earns more or less, beyond chance.

    Resampling alone is too sure of itself with few episodes, so the difference must be a few standard errors too.
    """
    result = compare_means(trained, random)
    error = float(np.sqrt(trained.var(ddof=1) / len(trained) + random.var(ddof=1) / len(random)))
    clear = max(ERRORS * error, TINY * max(_measure_size(trained), _measure_size(random)))
    if abs(result.difference) <= clear or not result.apart:
        return SAME
    return MORE if result.better else LESS


def _pool_returns(attempts: Iterable[TrainingAttempt], part: str, of: str) -> Array:
    return np.concatenate([np.asarray(getattr(attempt, of).paid(part), dtype=float) for attempt in attempts])


def _average_seeds(attempts: Iterable[TrainingAttempt], part: str, of: str) -> float:
    """The mean over seeds, each of which counts the same however many episodes it played."""
    means = [float(np.mean(paid)) for attempt in attempts if (paid := getattr(attempt, of).paid(part))]
    return float(np.mean(means)) if means else float("nan")


def measure_effects(versions: Sequence[VersionResult], parts: Sequence[str]) -> tuple[PartEffect, ...]:
    """What agents that were paid for one part alone earn of every part."""
    found: list[PartEffect] = []
    for version in versions:
        done = [attempt for attempt in version.attempts if not attempt.failure and attempt.trained.returns]
        if not version.task.part or not done:
            continue
        for part in (*parts, ""):
            random, trained = (_pool_returns(done, part, of) for of in ("random", "trained"))
            if min(len(random), len(trained)) >= FEWEST_EPISODES:
                found.append(_measure_effect(version.task.part, part, random, trained))
    return tuple(found)


def _measure_effect(paid_for: str, part: str, random: Array, trained: Array) -> PartEffect:
    tendency = compare_returns(trained, random)
    return PartEffect(
        paid_for=paid_for, of=part, random=float(random.mean()), trained=float(trained.mean()), tendency=tendency
    )


def find_conflicts(found: Sequence[PartEffect]) -> tuple[tuple[str, str], ...]:
    """Pairs of parts of which each, learnt alone, is earned at the expense of the other."""
    tendency = {(one.paid_for, one.of): one.tendency for one in found}
    parts = list(dict.fromkeys(one.paid_for for one in found))
    return tuple(
        (one, other)
        for one, other in combinations(parts, 2)
        if tendency.get((one, other)) == LESS and tendency.get((other, one)) == LESS
    )
