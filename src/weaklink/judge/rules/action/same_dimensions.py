from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import Flags, Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 10
USUALLY = 0.5  # of the states in which either of the two makes a difference


@rule(
    "ACT115",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "trials", "held"),
    leads_to=("REW105", "TSK102", "TSK103"),
)
def same_dimensions(survey: Survey) -> Answer:
    """Two dimensions of the action are one and the same.

    ## What it sees
    From many states, one dimension high and another low leads to exactly the same observation and reward as the two
    exchanged, although each of them makes a difference. And the environment holds an attribute with as many numbers as
    the action has dimensions, at least two of which change: each was meant to have its own.

    ## Why it is bad
    What the second dimension was meant to move is moved by none: a product that cannot be ordered, a joint that stays
    where it is. The policy learns one of two equal knobs, and the task cannot be done as well as it was meant to.

    ## What to do
    1. Print what each dimension of the action is written to. Look for an index that is clipped or reused in a loop.
    2. Where both do add up to one quantity, make them one dimension.

    ## How to prove it
    Step with `[1, 0]` and with `[0, 1]` from the same seed: the observations must differ.

    ## When it is wrong
    Two equal actuators of one thing, as two pumps of one tank are.

    ## References
    Practice.
    """
    trials, held = survey.trials, survey.held
    assert trials is not None
    assert held is not None
    if len(trials.seen) < FEWEST_STATES or not trials.swaps:
        return CannotTell(("trials",), f"fewer than {FEWEST_STATES} states, or no two dimensions with the same range")
    width = trials.actions.shape[1]
    change = np.any((held.after != held.before) & held.finite, axis=0)
    if not any(len(columns) == width and change[columns].sum() >= 2 for columns in held.attributes.values()):
        return None
    for one, other, first, second in trials.swaps:
        known = np.asarray(np.isfinite(trials.rewards[:, [first, second]]).all(axis=1))
        same = (trials.rows[:, first] == trials.rows[:, second]).all(axis=1)
        same &= trials.rewards[:, first] == trials.rewards[:, second]
        if known.sum() < FEWEST_STATES or not same[known].all():
            continue
        if all(_makes_difference(survey, place, known) for place in (one, other)):
            return Finding(
                message=f"action[{one}] and action[{other}] are one and the same: with their values exchanged the same "
                f"follows, in each of {int(known.sum())} states, although each of them makes a difference.",
                confidence=MEDIUM,
                evidence=(Evidence(metric="action.same_dimensions", value=float(known.sum()), limit=0.0),),
            )
    return None


def _makes_difference(survey: Survey, place: int, known: Flags) -> bool:
    """Whether the two ends of a dimension lead to different things in most states."""
    trials = survey.trials
    assert trials is not None
    low, high = trials.rows[:, 1 + 2 * place], trials.rows[:, 2 + 2 * place]
    return float(np.mean((low != high).any(axis=1)[known])) > USUALLY
