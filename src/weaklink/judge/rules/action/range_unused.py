from __future__ import annotations

import numpy as np

from weaklink.base.evidence.known_tasks import find_action_bound
from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._budget import has_come_far_enough
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import read_number
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of the rows in which both ends are the same to the last digit, and of the range that is used then
NEARLY_ALL, HALF = 0.9, 0.5

# what a policy multiplies its actions by, or ends them at; and what the environment takes
OWN = ("action_scale", "max_action", "action_limit", "act_limit", "action_bound", "action_range")
TAKEN = ("env_action_high", "action_high", "action_space_high", "env_max_action", "env_action_limit")


@rule(
    "ACT303",
    link=Link.ACTION,
    level=Level.WARN,
    on=Run,
    needs=("reward.episode_return",),
    leads_to=("POL302", "EXP303", "VAL304", "REW301", "REW302", "REW303"),
)
def range_unused(run: Run, *, share: float = 0.2, budget: float = 0.5) -> Answer:
    """The policy's actions reach a small part of what the environment takes.

    ## What it sees
    The configuration has a scale or limit of the policy's actions that is at most a fifth of the largest action of the
    environment, as the configuration says it or as the task of that name has it, and the return has not improved by
    the middle of the budget. Or the smallest and the largest action that the log has are the same two numbers in nearly
    every row, one minus the other and at most half of what the environment takes: something cuts actions off there,
    whatever the return does.

    ## Why it is bad
    What the policy can never do cannot be learned: a torque of 0.1 does not swing up a pendulum that needs 2.

    ## What to do
    1. Multiply the policy's action by the bound of the action space, or wrap the environment (`RescaleAction`).
    2. Print the largest and smallest action that reaches `step`.

    ## How to prove it
    Play ten episodes of random actions at the policy's scale and ten at the environment's: their returns differ.

    ## When it is wrong
    Where the environment itself multiplies by the same number a second time. Robots whose actions are small offsets on
    purpose learn with them, and nothing is said.

    ## References
    Practice.
    """
    cut = _find_cut(run)
    if cut is not None:
        return cut
    own = read_number(run.config, *OWN)
    taken = read_number(run.config, *TAKEN) or find_action_bound(str(run.config.values.get("environment", "")))
    if own is None or taken is None:
        return CannotTell(("action_scale", "action_high"), "the range of the actions is not configured")
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "fewer than 8 points")
    if not 0 < own <= share * taken or course.improved:
        return None
    if not has_come_far_enough(run, run["reward.episode_return"], budget):
        return CannotTell(("reward.episode_return",), "it is early: the return may improve yet")
    return Finding(
        message=f"The policy's actions reach {own:g} and the environment takes up to {taken:g}; {course.told}.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="action_scale", value=own, limit=taken),),
    )


def _find_cut(run: Run) -> Finding | None:
    """Actions that end at the same two numbers in every row, far within what the environment takes."""
    low, high = run.get("action.min"), run.get("action.max")
    taken = read_number(run.config, *TAKEN) or find_action_bound(str(run.config.values.get("environment", "")))
    if low is None or high is None or taken is None or min(len(low), len(high)) < FEWEST:
        return None
    end = level(high.values)
    held = min(float(np.mean(high.values == end)), float(np.mean(low.values == -end)))
    if held < NEARLY_ALL or end == 1.0 or not 0 < end <= HALF * taken:  # 1 is the end of actions in units of the range
        return None
    return Finding(
        message=f"In {held:.0%} of {len(high)} rows the actions reach from {-end:g} to {end:g} exactly, and the "
        f"environment takes up to {taken:g}: something cuts them off there.",
        onset=high.first_step,
        onset_within=high.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=high.name, value=end, limit=taken, step=high.first_step),),
    )
