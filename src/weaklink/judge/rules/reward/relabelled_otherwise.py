from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 50


@rule(
    "REW116",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("held",),
    leads_to=(
        "ENV101",
        "REW109",
    ),
)
def relabelled_otherwise(survey: Survey, *, share: float = 0.05) -> Answer:
    """`compute_reward` does not say what a step pays.

    ## What it sees
    A goal environment (`achieved_goal` and `desired_goal` in the observation, a method `compute_reward`), asked after
    every step of random play what the two goals that it has just shown are worth. In 5 % of the steps or more the
    answer is not the reward of the step.

    ## Why it is bad
    Hindsight replay puts another goal in the place of the desired one and asks this method what would have been paid.
    Where it pays for something else, most of the replay teaches another task than the rest.

    ## What to do
    1. Have `step` return `self.compute_reward(achieved_goal, desired_goal, info)`, and nothing beside it.
    2. Compare the sense of both: is a goal that is reached 0 and one that is not -1 in both?

    ## How to prove it
    `assert reward == env.unwrapped.compute_reward(obs["achieved_goal"], obs["desired_goal"], info)` after each step.

    ## When it is wrong
    Where nothing is relabelled, and a cost of the action or of time is paid on top on purpose. Environments with
    wrappers of yours are not asked.

    ## References
    Andrychowicz et al., Hindsight Experience Replay, 2017; the goal environments of Gymnasium-Robotics.
    """
    held = survey.held
    assert held is not None
    if held.relabelled is None or len(held.relabelled) < FEWEST_STEPS:
        return CannotTell(("compute_reward",), "no goal environment with a method `compute_reward`")
    with np.errstate(invalid="ignore", over="ignore"):
        apart = ~(np.abs(held.relabelled - held.rewards) <= 1e-4 * (1.0 + np.abs(held.rewards)))
    apart &= np.isfinite(held.rewards)
    other = float(np.mean(apart))
    if other < share:
        return None
    first = int(np.flatnonzero(apart)[0])
    return Finding(
        message=f"`compute_reward` of the goals just shown is not the reward of the step in {other:.0%} of "
        f"{len(apart):,} steps (limit {share:.0%}): {held.relabelled[first]:.4g} instead of {held.rewards[first]:.4g} "
        f"at step {first}. Relabelled goals are paid for another task.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="steps that compute_reward pays otherwise", value=other, limit=share),),
    )
