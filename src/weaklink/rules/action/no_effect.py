from __future__ import annotations

import numpy as np

from weaklink.evidence.spaces import Space
from weaklink.evidence.survey import Survey
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._registry import rule
from weaklink.rules.action._effects import moves, pays


@rule(
    "ACT101",
    link=Link.ACTION,
    level=Level.ERROR,
    on=Survey,
    needs=("action",),
    leads_to=("ACT102", "ACT103", "ACT106", "ENV108", "REW105", "REW107", "TSK101", "TSK102", "TSK103", "TSK106"),
)
def no_effect(survey: Survey) -> Answer:
    """Whatever is done, the same happens.

    ## What it sees
    From the same seed, random actions and other actions give the same trajectory to the last number: the same
    observations, rewards and ends.

    ## Why it is bad
    The policy has no part in what happens, so no action is better than another and there is nothing to learn. The
    training runs and ends as if all were well.

    ## What to do
    1. Follow the action from `step` to the simulation: it is often overwritten, rounded to 0, multiplied by 0, or
       handed to a copy.
    2. Check the wrappers from the inside out; one that rescales or repeats actions may drop them.
    3. Check that the simulation is stepped after the action was set, and that its actuators are switched on.

    ## How to prove it
    Reset with the same seed twice, make ten steps with the lowest and ten with the highest action, and compare the last
    observations. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    An effect that shows only late in an episode, after the steps compared here, or, in a very wide observation, only
    in columns that were not looked at. A space with a single action cannot have an effect, and is left alone.

    ## References
    Practice; RLMutation, missing state update, which looks the same from outside.
    """
    if survey.same_whatever_done is None:
        return CannotTell(("same_whatever_done",), "no trajectories with different actions were compared")
    if not survey.same_whatever_done or survey.action is None or not _has_choice(survey.action):
        return None
    if any(moves(sweep) or pays(sweep) for sweep in survey.sweeps):
        return None
    return Finding(
        message="From the same seed, other actions give the same observations, rewards and ends to the last number.",
        level=Level.ERROR if survey.seen_columns is None else Level.WARN,
        confidence=HIGH if survey.seen_columns is None else MEDIUM,
        evidence=(Evidence(metric="action.effect", value=0.0, limit=0.0),),
    )


def _has_choice(space: Space) -> bool:
    """Whether the space holds more than one action."""
    return any(not np.isfinite(column.high - column.low) or column.high > column.low for column in space.columns)
