"""How the return and other measures of success moved: the second signal that rules ask for besides their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.known_tasks import find_solved_return
from weaklink.base.evidence.metrics import COMPONENT
from weaklink.base.evidence.performance import Performance, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.patterns import compile_late
from weaklink.base.stats import HeldStretch, find_lasting_above, find_lasting_below, level

# points that a rule needs of what it judges: with fewer, levels and trends are chance
FEWEST = 10

# the best and the last stretch of a run are an eighth of it each
EDGE = 8

# the first points that may all lie on one side of the rest: one chance in 1,140 where there are twenty
FIRST, PARTED = 3, 20

# standard errors: of a clear difference, and by how much the best of many stretches stands out by chance alone
CLEAR, CHOSEN = 3.0, 2.0

# of itself: what single precision leaves of a number that does not change
STILL = 1e-5

# of itself, over states that differ; nats, which rounding alone leaves; and a loss from which nothing can be learned
AS_BEFORE, NEVER, NO_ERROR = 0.02, 1e-9, 1e-4

# of all episodes: a task that fewer solve is not learned
UNSOLVED = 0.2

# times the return of the start, where that is above 0
MANY = 5.0

GOLD = (
    "reward.human_score",
    "evaluation.score",
    "evaluation.success_rate",
    "evaluation.win_rate",
    "task.success_rate",
)
"""Measures of what is really wanted, as opposed to what is rewarded."""

NOT_PAID = compile_late(r"fail|error|invalid|missing|violation|incorrect|inaccura|penalty")
FORM = compile_late(r"format|xml|style|template|structur|schema|markdown|(?:^|_)tags?(?:_|$)")
RIGHT = compile_late(
    r"accura|correct|answer|solve|success|exact|gold|ground_truth|goal|verif|(?:^|_)reached(?:_|$)|"
    r"(?:^|_)(?:pass|win|math|maths|tests?)(?:_|$|e|i|r)"
)


def has_improved(run: Run) -> bool:
    """Whether the return is known to have improved."""
    return run.performance is not None and run.performance.improved


def has_come_half(run: Run, course: Performance) -> bool | None:
    """Whether a return went half of the way from its start to the one that solves the task, or is a multiple of it.

    None where the task names no such return. Of a task that pays for every step, random play earns little; a budget
    that is too short for half of the way still shows what no broken learner shows.
    """
    solved = find_solved_return(str(run.config.values.get("environment", "")))
    if solved is None or not course.metric.endswith("return"):
        return None
    multiple = course.start > 0 and course.final >= MANY * course.start
    return multiple or course.final >= course.start + 0.5 * (solved - course.start)


def rises_after_first(series: Series) -> bool:
    """Whether a rise is still there without the first point: one that a single point makes is none."""
    later = Series.of(series.name, series.steps[1:], series.values[1:], provenance=series.provenance)
    course = measure_course(later)
    return course is not None and course.improved


def tell_unsolved(run: Run) -> str:
    """That hardly any episode reaches the goal and no more than at first, in words; nothing where that is not known."""
    for name in ("evaluation.success_rate", "task.success_rate"):
        course = measure_course(run[name]) if name in run else None
        if course is not None:
            unsolved = course.best < UNSOLVED and not course.improved
            return f"{name} stays at {course.final:.2g}" if unsolved else ""
    return ""


def is_policy_left_out(run: Run) -> bool:
    """Whether the policy's entropy is one number to its last digits although gradients flow: they are not its own.

    They flow where their norm says so or, where that is not logged, where a critic has errors to learn from. The states
    that a policy is asked about differ, and so does its entropy by a little, where the KL says that it never changed. A
    KL that is compared with the wrong policy is 0 as well, and there the entropy moves.
    """
    entropy, norms, loss = (run.get(n) for n in ("exploration.entropy", "optimizer.gradient_norm", "value.loss"))
    if entropy is None or len(entropy) < FEWEST:
        return False
    kl = run.get("policy.kl")
    never = kl is not None and float(np.abs(kl.values).max()) < NEVER
    still = float(np.ptp(entropy.values)) <= (AS_BEFORE if never else STILL) * float(np.abs(entropy.values).max())
    flows = level(norms.values) > 0 if norms else never and loss is not None and level(loss.values[-5:]) > NO_ERROR
    return still and flows


def is_language_run(run: Run) -> bool:
    """Whether this is the training of a language model."""
    return run.family == "language" or "policy.kl_reference" in run or "reward.human_score" in run


def find_component_series(run: Run, words: re.Pattern[str]) -> Iterator[Series]:
    """The reward components whose names match; one that matches form does not count as correctness."""
    for series in run.matching(COMPONENT):
        name = series.name.removeprefix(COMPONENT).lower()
        if words.search(name) and not NOT_PAID.search(name) and (words is FORM or not FORM.search(name)):
            yield series


def list_measures(run: Run) -> list[Series]:
    """Everything that measures success itself rather than the reward for it."""
    return [run[name] for name in GOLD if name in run] + list(find_component_series(run, RIGHT))


def list_outcomes(run: Run) -> list[Performance]:
    """How each measure of success moved, as far as it is logged often enough."""
    return [course for series in list_measures(run) if (course := measure_course(series)) is not None]


def has_gained(run: Run) -> bool | None:
    """Whether any measure of success rose; None where none is logged."""
    courses = list_outcomes(run)
    return any(course.improved for course in courses) if courses else None


def may_be_luck(series: Series, course: Performance) -> bool:
    """Whether returns scatter so much that the fall from the best stretch to the last may be chance."""
    width = max(len(series) // EDGE, 2)
    until = int(np.searchsorted(series.steps, course.best_step, side="right"))
    best, final = series.values[max(until - width, 0) : until], series.values[-width:]
    luck, doubt = (float(part.std()) / max(len(part), 1) ** 0.5 for part in (best, final))
    return bool(course.best - course.final < CLEAR * np.hypot(luck, doubt) + CHOSEN * luck)


def is_parted(values: Array) -> bool:
    """Whether each of the first points lies below each later one: of so many points chance hardly ever does that."""
    return len(values) >= PARTED and bool(values[:FIRST].max() < values[FIRST:].min())


class Rise(msgspec.Struct, frozen=True):
    """A lasting rise of a series: its level at the start and at the end, and the index at which it began."""

    start: float
    end: float
    onset: int


def find_rise(series: Series, *, factor: float = 1.0, least: float = 0.0) -> Rise | None:
    """The rise of a series that ends `factor` times and `least` above its start, beyond its own noise."""
    course = measure_course(series)
    if course is None or not course.improved:
        return None
    start, end = start_of(series.values), level(series.values[-max(3, len(series) // 5) :])
    if end < factor * start or end - start < least:
        return None
    held = find_still_above(series.values, start + 0.25 * (end - start))
    return None if held is None else Rise(start, end, held.start)


def start_of(values: Array) -> float:
    """The level of the first tenth of a run, of at least three points."""
    return level(values[: max(3, len(values) // 10)])


def find_still_above(values: Array, limit: float) -> HeldStretch | None:
    """The last lasting stretch above the limit, if it reaches the end of the log."""
    return _find_last(values, values > limit, find_lasting_above(values[::-1], limit))


def find_limit_held(values: Array, *limits: float) -> tuple[HeldStretch, float] | None:
    """The first of these limits that values stay above until the end of the log, and the stretch above it."""
    stretches = ((find_still_above(values, limit), limit) for limit in limits)
    return next(((held, limit) for held, limit in stretches if held is not None), None)


def find_still_below(values: Array, limit: float) -> HeldStretch | None:
    """The last lasting stretch below the limit, if it reaches the end of the log."""
    return _find_last(values, values < limit, find_lasting_below(values[::-1], limit))


def _find_last(values: Array, mask: NDArray[np.bool_], held: HeldStretch | None) -> HeldStretch | None:
    """Maps a stretch of the reversed values back; None unless four in five of the last fifth meet the condition."""
    tail = mask[-max(5, round(0.2 * len(mask))) :]
    if held is None or not len(tail) or tail.mean() < 0.8:
        return None
    start, end = len(values) - 1 - held.end, len(values) - 1 - held.start
    return HeldStretch(start, end, held.level, held.share, True)


def measure_during(run: Run, name: str, series: Series, index: int) -> float | None:
    """The level of another metric from the moment on at which this series has this index."""
    if name not in run:
        return None
    other = run[name]
    since = run.progress(series.name, float(series.steps[index]))
    first = min(0.0, other.first_step)
    places = (other.steps - first) / max(other.last_step - first, 1e-12)
    late = other.values[places >= min(since, 1.0) - 1e-9]
    return level(late) if len(late) else None


def measure_gain_before(run: Run, step: float) -> float:
    """The share of its gain that the return had made by a step; 1 where no return is known."""
    course = run.performance
    if course is None:
        return 1.0
    series = run[course.metric]
    upto = int(np.searchsorted(series.steps, step, side="right"))
    near = series.values[max(0, upto - max(3, len(series) // 50)) : max(upto, 1)]
    return (float(near.mean()) - course.start) / max(course.best - course.start, 1e-12)
