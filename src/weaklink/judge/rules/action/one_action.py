from __future__ import annotations

import numpy as np

from weaklink.base.evidence.metrics import ACTION_SHARE
from weaklink.base.evidence.run import Run
from weaklink.judge.rules._budget import has_come_far_enough
from weaklink.judge.rules._course import FEWEST, find_still_above
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "ACT304",
    link=Link.ACTION,
    level=Level.WARN,
    on=Run,
    leads_to=("POL302", "POL309", "EXP301", "VAL304", "VAL305", "REW301", "REW303", "REW304", "TSK301"),
    symptoms={"about as good as random": 10},
)
def one_action(run: Run, *, limit: float = 0.98, budget: float = 0.3) -> Answer:
    """What the policy chooses is always one and the same action.

    ## What it sees
    The shares of the discrete actions that the training logs: without what is drawn at random (epsilon), 98 % and more
    of what is chosen is one action to the end of the log, and the return does not improve. Not
    before three tenths of the budget: an untrained network prefers one action mostly.

    ## Why it is bad
    A policy that answers every observation alike has learned nothing of them. Either the choice does not follow from
    its values (an argmax over the batch instead of the actions, an index that is cut off), or it does not see what it
    is given.

    ## What to do
    1. Print values and chosen actions of ten different observations: each choice must be the largest of its own row.
    2. Check the axis of the argmax, and the shape of the values: one row for each observation, one column an action.
    3. Check that observations differ where they reach the network.

    ## How to prove it
    Give the policy ten observations in one batch and one by one: the choices must be the same, and differ among them.

    ## When it is wrong
    Tasks in which one action is best throughout; their return improves, or is at its best at once.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021; practice.
    """
    shares = [series for series in run.matching(ACTION_SHARE) if len(series) >= FEWEST]
    if len(shares) < 2 or any(float(series.highs.max()) > 1.0 for series in shares):
        return CannotTell((f"{ACTION_SHARE}0",), "the shares of the actions are not logged")
    course = run.performance
    if course is None or course.improved:
        return None
    if not has_come_far_enough(run, shares[0], budget):
        return CannotTell((shares[0].name,), "it is early: an untrained network prefers one action")
    most = max(shares, key=lambda series: float(series.values[-1]))
    epsilon = run.get("exploration.epsilon")
    drawn = np.zeros(len(most)) if epsilon is None else np.interp(most.steps, epsilon.steps, epsilon.values)
    chosen = np.minimum((most.values - drawn / len(shares)) / np.maximum(1.0 - drawn, 0.05), 1.0)
    held = find_still_above(chosen, limit)
    if held is None:
        return None
    step, action = float(most.steps[held.start]), most.name.removeprefix(ACTION_SHARE)
    return Finding(
        message=f"Action {action} is {held.level:.0%} of all that is not drawn at random from step {step:,.0f} on, and "
        f"{course.told}: the policy answers every observation alike.",
        onset=most.first_step,
        onset_within=step - most.first_step,
        confidence=HIGH,
        evidence=(Evidence(metric=most.name, value=held.level, limit=limit, step=step),),
    )
