from __future__ import annotations

import numpy as np

from weaklink.evidence.performance import FEWEST_POINTS, MEASURES, Performance, course_of
from weaklink.evidence.run import Run
from weaklink.evidence.series import Series
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._budget import far_enough
from weaklink.rules._registry import rule
from weaklink.stats import blocks

FEWEST = 15


@rule(
    "REW304",
    link=Link.REWARD,
    level=Level.WARN,
    needs=(
        ("reward.episode_return", "evaluation.return", "evaluation.success_rate", "task.success_rate", "reward.mean"),
    ),
    tree=93,
)
def reward_declining(run: Run, *, budget: float = 0.3, env_steps: float = 20_000) -> Answer:
    """The return has fallen below its own past and stays there.

    ## What it sees
    The end of the run has lost a good part of what the run had gained, or lies below its start, by much more than the
    scatter of the curve. Curves are compared in blocks, so that a few bad episodes do not count. Before three tenths
    of the budget (20,000 steps where it is not known) nothing is said.

    ## Why it is bad
    The policy was better than it is. Training on makes it worse, and the last checkpoint is not the one to keep.

    ## What to do
    1. Keep the checkpoint from around the best step, not the last one.
    2. Look at entropy, KL and losses from that step on: whichever moved first is the cause.
    3. If none of them moved, compare reward with the true task metric: the policy may have found another way to
       score.

    ## How to prove it
    Evaluate the checkpoint of the best step and the last one over 20 episodes each: the loss must show beyond both
    intervals.

    ## When it is wrong
    A harder stage of a curriculum, a new opponent or a growing penalty lowers the return by design.

    ## References
    Henderson et al., Deep Reinforcement Learning That Matters, 2018.
    """
    named = [name for name in MEASURES if name in run]
    courses = [course for name in named if len(run[name]) >= FEWEST and (course := course_of(run[name])) is not None]
    if not courses:
        return CannotTell(
            (named[0] if named else "reward.episode_return",), f"fewer than {max(FEWEST, FEWEST_POINTS)} points"
        )
    fallen = [course for course in courses if course.declined]
    if not fallen or any(course.improved for course in courses):
        return None
    if not far_enough(run, run[fallen[0].metric], budget, env_steps, updates=FEWEST):
        return CannotTell((fallen[0].metric,), "it is early: many learners get worse before they get better")
    return _found(run, fallen[0])


def _found(run: Run, course: Performance) -> Finding:
    series = run[course.metric]
    gained = course.best - course.start
    below = course.final < course.start - 2 * course.noise
    return Finding(
        message=f"{course.metric} falls from {course.best:.4g} around step {course.best_step:,.0f} to "
        f"{course.final:.4g} at the end"
        + (
            f", below the {course.start:.4g} it began at." if below else f"; {1 - course.kept:.0%} of its gain is lost."
        ),
        onset=course.best_step,
        onset_within=max(series.interval, _half_lost(series, course) - course.best_step),
        confidence=HIGH if course.best - course.final > max(gained, 8 * course.noise) else MEDIUM,
        evidence=(Evidence(metric=course.metric, value=course.final, limit=course.best, step=series.last_step),),
    )


def _half_lost(series: Series, course: Performance) -> float:
    """The step by which half of the loss had happened: the fall began somewhere before it."""
    count = min(len(series), 25)
    means = blocks(series.values, count)
    ends = series.steps[((np.arange(count) + 1) * len(series)) // count - 1]
    low = (means < course.best - 0.5 * (course.best - course.final)) & (ends > course.best_step)
    return float(ends[int(np.argmax(low))]) if low.any() else series.last_step
