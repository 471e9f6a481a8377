from __future__ import annotations

import numpy as np

from weaklink.base.evidence.acting import ActionTrials
from weaklink.base.evidence.survey import Flags, Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 10
FEWEST_IDLE, FEWEST_MOVING = 3, 3  # states in which an action moves nothing, and in which it moves something
AS_MUCH = 0.5  # of what it earns where it moves something


@rule(
    "REW125",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("action", "trials"),
    leads_to=("REW103", "TSK101", "TSK106"),
)
def paid_without_effect(survey: Survey) -> Answer:
    """An action is paid for where it moves nothing.

    ## What it sees
    From many states an action is tried beside doing nothing. In some of them it moves a number that is seen and earns
    something; in others, where that number is at its limit, it leads to exactly what doing nothing leads to, and yet it
    earns as much, more than zero, each time.

    ## Why it is bad
    The best policy drives the number to its limit and goes on: an empty battery sells for ever. What is paid for is the
    wish, not the deed.

    ## What to do
    1. Pay for what was moved, after it was limited: compute `moved = after - before` and use that.
    2. Do so for costs too.

    ## How to prove it
    Hold the action for a whole episode and print the number beside the reward.

    ## When it is wrong
    Something that is bought with the action and not seen.

    ## References
    Amodei et al., Concrete Problems in AI Safety, 2016, section 4; practice.
    """
    trials = survey.trials
    assert trials is not None
    if survey.action is None or any(column.kind != "number" for column in survey.action.columns):
        return None
    if len(trials.seen) < FEWEST_STATES:
        return CannotTell(("trials",), f"fewer than {FEWEST_STATES} states")
    for place in range(1, 1 + 2 * trials.actions.shape[1]):
        idle, moving = _split_states(trials, place)
        gain = trials.rewards[:, place] - trials.rewards[:, 0]
        paid = trials.rewards[:, place]
        if min(idle.sum() - FEWEST_IDLE, moving.sum() - FEWEST_MOVING) < 0:
            continue
        usual = float(np.median(gain[moving]))
        if usual > 0.0 and np.all(gain[idle] > 0.0) and np.all(paid[idle] > 0.0):
            earned = float(np.median(gain[idle]))
            if earned >= AS_MUCH * usual:
                return Finding(
                    message=f"action[{(place - 1) // 2}] at its {'lowest' if place % 2 else 'highest'} earns "
                    f"{earned:.3g} more than doing nothing in {int(idle.sum())} states in which it leads to the very "
                    f"same observation, and {usual:.3g} more where it moves something: it is paid for without effect.",
                    confidence=MEDIUM,
                    evidence=(Evidence(metric="reward without effect", value=earned, limit=0.0),),
                )
    return None


def _split_states(trials: ActionTrials, place: int) -> tuple[Flags, Flags]:
    """The states in which an action leads to the same as doing nothing, at a limit of what it moves; and the others."""
    known = np.asarray(np.isfinite(trials.rewards[:, [0, place]]).all(axis=1))
    apart = trials.rows[:, place] != trials.rows[:, 0]
    moving = known & apart.any(axis=1)
    moved = apart[moving].any(axis=0) if moving.any() else np.zeros(apart.shape[1], dtype=bool)
    idle = known & ~apart.any(axis=1)
    if not idle.any() or not moved.any():
        return np.zeros_like(known), np.asarray(moving)
    seen = trials.seen[:, moved]
    low, high = seen.min(axis=0), seen.max(axis=0)
    limited = np.any((seen == low) | (seen == high), axis=1)
    return np.asarray(idle & limited), np.asarray(moving)
