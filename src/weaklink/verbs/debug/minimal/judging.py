"""What became of each version: did the smallest agent do better than chance?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.stats import contest
from weaklink.verbs.debug.minimal.evidence import (
    FAILED,
    LEARNT,
    NOT_LEARNT,
    NOTHING_TO_LEARN,
    SOMETIMES,
    UNCLEAR,
    Attempt,
    Effect,
    Task,
    Version,
)
from weaklink.verbs.debug.minimal.plan import FEWEST_STEPS, FEWEST_WHEN_LATE
from weaklink.verbs.debug.minimal.playing import FEWEST_EPISODES

ERRORS = 2.5
"""Standard errors by which two means must differ at least."""

TINY = 1e-9
MORE, LESS, SAME = "more", "less", "same"


def judged(task: Task, attempts: Sequence[Attempt]) -> Version:
    """A version after all its trainings."""
    done = [attempt for attempt in attempts if not attempt.failure]
    if not done:
        why = attempts[0].failure if attempts else "it was not tried"
        return Version(task=task, state=FAILED if attempts else UNCLEAR, attempts=tuple(attempts), why=why)
    state, why = _state(task, done)
    return Version(
        task=task,
        state=state,
        attempts=tuple(attempts),
        random=_mean(done, task.part, "random"),
        trained=_mean(done, task.part, "trained"),
        steps=max(attempt.steps for attempt in done),
        why=why,
    )


def _state(task: Task, done: Sequence[Attempt]) -> tuple[str, str]:
    counted = [attempt for attempt in done if _enough(attempt, task.part)]
    if not counted:
        return UNCLEAR, "too few episodes were played in the time"
    everything = [_both(attempt, task.part) for attempt in counted]
    if not all(np.isfinite(each).all() for each in everything):
        return UNCLEAR, "returns are not finite numbers"
    better = [_is_better(attempt, task.part) for attempt in counted]
    if any(better):
        some = f"with {sum(better)} of {len(better)} seeds"
        return (LEARNT, "") if all(better) else (SOMETIMES, some)
    if not any(attempt.steps >= _fewest(attempt) for attempt in counted):
        fewest = min(attempt.steps for attempt in done)
        return UNCLEAR, f"only {fewest:,} steps were made in the time: too few to tell"
    if all(float(np.ptp(each)) <= TINY * _size(each) for each in everything):
        value = everything[0][0]
        return NOTHING_TO_LEARN, f"every episode, random or trained, came to {value:.4g}: nothing is ever told apart"
    return NOT_LEARNT, ""


def _fewest(attempt: Attempt) -> int:
    return FEWEST_WHEN_LATE if attempt.late else FEWEST_STEPS


def _enough(attempt: Attempt, part: str) -> bool:
    return min(len(attempt.random.paid(part)), len(attempt.trained.paid(part))) >= FEWEST_EPISODES


def _both(attempt: Attempt, part: str) -> Array:
    return np.asarray((*attempt.random.paid(part), *attempt.trained.paid(part)), dtype=float)


def _size(values: Array) -> float:
    return max(1.0, float(np.abs(values).max()))


def _is_better(attempt: Attempt, part: str) -> bool:
    first, second = np.asarray(attempt.trained.paid(part)), np.asarray(attempt.random.paid(part))
    return compared(first, second) == MORE


def compared(trained: Array, random: Array) -> str:
    """Whether the trained agent earns more or less, beyond chance.

    Resampling alone is too sure of itself with few episodes, so the difference must be a few standard errors too.
    """
    result = contest(trained, random)
    error = float(np.sqrt(trained.var(ddof=1) / len(trained) + random.var(ddof=1) / len(random)))
    clear = max(ERRORS * error, TINY * max(_size(trained), _size(random)))
    if abs(result.difference) <= clear or not result.apart:
        return SAME
    return MORE if result.better else LESS


def _pooled(attempts: Iterable[Attempt], part: str, of: str) -> Array:
    return np.concatenate([np.asarray(getattr(attempt, of).paid(part), dtype=float) for attempt in attempts])


def _mean(attempts: Iterable[Attempt], part: str, of: str) -> float:
    """The mean over seeds, each of which counts the same however many episodes it played."""
    means = [float(np.mean(paid)) for attempt in attempts if (paid := getattr(attempt, of).paid(part))]
    return float(np.mean(means)) if means else float("nan")


def effects(versions: Sequence[Version], parts: Sequence[str]) -> tuple[Effect, ...]:
    """What agents that were paid for one part alone earn of every part."""
    found: list[Effect] = []
    for version in versions:
        done = [attempt for attempt in version.attempts if not attempt.failure and attempt.trained.returns]
        if not version.task.part or not done:
            continue
        for part in (*parts, ""):
            random, trained = (_pooled(done, part, of) for of in ("random", "trained"))
            if min(len(random), len(trained)) >= FEWEST_EPISODES:
                found.append(_effect(version.task.part, part, random, trained))
    return tuple(found)


def _effect(paid_for: str, part: str, random: Array, trained: Array) -> Effect:
    tendency = compared(trained, random)
    return Effect(
        paid_for=paid_for, of=part, random=float(random.mean()), trained=float(trained.mean()), tendency=tendency
    )


def fights(found: Sequence[Effect]) -> tuple[tuple[str, str], ...]:
    """Pairs of parts of which each, learnt alone, is earned at the expense of the other."""
    tendency = {(one.paid_for, one.of): one.tendency for one in found}
    parts = list(dict.fromkeys(one.paid_for for one in found))
    return tuple(
        (one, other)
        for one, other in combinations(parts, 2)
        if tendency.get((one, other)) == LESS and tendency.get((other, one)) == LESS
    )
