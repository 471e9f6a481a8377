from __future__ import annotations

import numpy as np

from weaklink.base.evidence.known_tasks import find_solved_return
from weaklink.base.evidence.run import Run
from weaklink.base.stats import block_means, trend
from weaklink.judge.rules.writing import LOW, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW302",
    link=Link.REWARD,
    level=Level.INFO,
    needs=(("reward.episode_return", "evaluation.return", "reward.mean"),),
    tree=91,
    symptoms={"reward plateaus": 1},
    marks=("course of the return",),
)
def reward_plateau(run: Run, *, share: float = 0.5) -> Answer:
    """The return rose and has not changed since.

    ## What it sees
    The return improved, and shows no trend over at least the last half of the run.

    ## Why it is bad
    It need not be: the task may be solved. If the level is below what the task allows, something holds the policy
    there: one reward component that pays most of the return, exploration that has ended, or a learning rate that has
    become too small.

    ## What to do
    1. Compare the level with the best possible return, or with a simple hand-written policy.
    2. Log each reward component separately and see which one pays.
    3. Look at the entropy and at the learning-rate schedule.

    ## How to prove it
    Resume from the last checkpoint with the initial learning rate: if the return rises again, the schedule was the
    cause; if not, look at the reward.

    ## When it is wrong
    Whenever the plateau is the maximum. The rule does not fire where the threshold of the task is reached.

    ## References
    Ng, Harada and Russell, Policy Invariance under Reward Transformations, 1999 (shaping without changing the goal).
    """
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "fewer than 8 points")
    series = run[course.metric]
    if len(series) < 40:
        return CannotTell((course.metric,), "fewer than 40 points")
    threshold = find_solved_return(str(run.config.values.get("environment", "")))
    if not course.improved or (threshold is not None and course.final >= threshold):
        return None
    half = series.values[int((1 - share) * len(series)) :]
    drift = trend(half)
    moved = abs(drift.change) > 0.1 * (course.best - course.start)
    if moved or drift.rises or drift.falls:
        return None
    means = block_means(series.values, 25)
    reached = int(np.argmax(means >= course.start + 0.9 * (course.final - course.start)))
    step = float(series.steps[min((reached * len(series)) // len(means), len(series) - 1)])
    return Finding(
        message=f"{course.metric} rose from {course.start:.4g} to {course.final:.4g} by step {step:,.0f} and has "
        "not changed since.",
        onset=step,
        onset_within=series.interval,
        confidence=LOW,
        evidence=(Evidence(metric=course.metric, value=course.final, limit=course.best, step=step),),
    )
