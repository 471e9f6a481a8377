"""Whether a run has learned: what a verdict of healthy must show."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.known_tasks import find_solved_return
from weaklink.base.evidence.performance import MEASURES, Performance, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, has_come_half, list_measures
from weaklink.judge.rules._critic import never_learned

FALLEN, ALIKE, LONG, SHORT = 0.3, 0.95, 0.9, 10.0
"""A return that epsilon alone explains: how far epsilon fell, how closely the return follows it, the share of the
longest episode that episodes still have at the end, and the steps of an episode below which steps do not cost much."""


MOSTLY = 0.5
"""The share of random actions beyond which it is chance that acts."""


def has_learned(run: Run) -> bool:
    """Whether the return improved and, where the task names a return that solves it, came far on the way there.

    A critic that never learned leaves it open what the return improved by, a reward that rises while the task was
    never once solved tells nothing of the task, and a policy that mostly acts at random was never put to use.
    """
    return not explain_unlearned(run)


def explain_unlearned(run: Run) -> str:
    """Why the run does not show that anything was learned, as the end of a sentence; nothing where it does."""
    course = run.performance
    if course is None:
        return "no return or success rate is logged often enough to tell whether it learns"
    reasons = (
        (not course.improved, f"{course.metric} does not clearly improve"),
        (_follows_epsilon(run, course), f"{course.metric} rose no more than by taking fewer random actions"),
        (never_learned(run), "the critic never learned, so it is open what the return improved by"),
        (_never_succeeds(run), "the task was never once solved"),
        (_acts_at_random(run), "most actions were random to the end"),
        (_fell_short(run, course), f"{course.told}, not half of the way to the {_tell_goal(run)}"),
    )
    return next((told for holds, told in reasons if holds), "")


def _fell_short(run: Run, course: Performance) -> bool:
    """Whether the task names a return that solves it, and no measured one came half of the way there."""
    if has_come_half(run, course) is None:
        return False
    others = (measure_course(run[name]) for name in MEASURES if name.endswith("return") and name in run)
    return not any(has_come_half(run, each) for each in (course, *others) if each is not None)


def _tell_goal(run: Run) -> str:
    solved = find_solved_return(str(run.config.values.get("environment", "")))
    return "" if solved is None else f"{solved:,.4g} that counts as solved for this task"


def _never_succeeds(run: Run) -> bool:
    """Whether some measure of success itself was logged often and each of them is exactly 0 from the first point on."""
    measures = [series for series in list_measures(run) if len(series) >= FEWEST]
    return bool(measures) and all(float(series.highs.max()) == 0.0 == float(series.lows.min()) for series in measures)


def _acts_at_random(run: Run) -> bool:
    """Whether most actions were random from the first point to the last."""
    epsilon = run.get("exploration.epsilon")
    return epsilon is not None and len(epsilon) >= FEWEST and float(epsilon.lows.min()) > MOSTLY


def _follows_epsilon(run: Run, course: Performance) -> bool:
    """Whether the return rose with the share of chosen actions alone: every step costs, and episodes last as long.

    A policy that chooses nothing is fined less than random play where wrong actions are fined. Where steps cost, what
    was learned shows in shorter episodes.
    """
    epsilon, length = run.get("exploration.epsilon"), run.get("task.episode_length")
    if epsilon is None or length is None or course.final >= 0:
        return False
    series = run[course.metric]
    shares = np.interp(series.steps, epsilon.steps, epsilon.values)
    if float(np.ptp(shares)) < FALLEN or float(np.std(series.values)) == 0:
        return False
    alike = float(np.corrcoef(shares, series.values)[0, 1])
    last = level(length.values[-max(len(length) // 8, 3) :])
    return alike < -ALIKE and last > max(LONG * float(length.highs.max()), SHORT)
