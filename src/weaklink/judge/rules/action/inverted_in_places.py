from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 12
EQUAL = 0.02  # how far the size of the effect may be from its median
EQUAL_SHARE = 0.75  # of the states: at a limit the effect is smaller
FEWEST_EACH = 3  # states on either side
BOTH_SIDES = 0.15  # of the steps of random play, the column that is moved is on either side of zero


@rule(
    "ACT116",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "observation", "trials", RANDOM),
    leads_to=("ACT101", "TSK101", "TSK102", "TSK103"),
)
def inverted_in_places(survey: Survey) -> Answer:
    """An action does the opposite wherever another number is negative.

    ## What it sees
    From many states a continuous dimension is set to its lowest and to its highest value. The difference that this
    makes in one column after one step has the same size in nearly all states, and its sign is that of another number of
    the observation, without exception. The column itself has both signs, so that it is no distance.

    ## Why it is bad
    The policy must learn to act the other way round on one side, at a jump that nothing in the task explains. It is
    slow at best, and a policy that is smooth stays wrong around the jump.

    ## What to do
    1. Look for a sign that is taken from the state (`np.sign`, `if bend < 0`) and multiplied into the action.
    2. Look for a frame that is mirrored for one side and not for the other.

    ## How to prove it
    Step with the same action from two states that differ in that number's sign only.

    ## When it is wrong
    A gear, a sail or a valve that does reverse what the action does. Then show the sign, as a number of its own.

    ## References
    Practice.
    """
    trials, play = survey.trials, survey.plays[RANDOM]
    assert trials is not None
    kinds = () if survey.action is None else [column.kind for column in survey.action.columns]
    if len(trials.seen) < FEWEST_STATES or play.observations is None or not len(play.observations):
        return CannotTell(("trials",), f"fewer than {FEWEST_STATES} states")
    signed = np.minimum((play.observations > 0).mean(axis=0), (play.observations < 0).mean(axis=0)) >= BOTH_SIDES
    for place in (place for place, kind in enumerate(kinds) if kind == "number"):
        effects = trials.rows[:, 2 + 2 * place] - trials.rows[:, 1 + 2 * place]
        for column in np.flatnonzero(signed).tolist():
            other = _find_deciding(effects[:, column], trials.seen)
            if other is not None and other != column:
                return Finding(
                    message=f"action[{place}] moves {survey.labels[column]} by the same amount in all of "
                    f"{len(effects)} states, but the other way round wherever {survey.labels[other]} is negative.",
                    confidence=MEDIUM,
                    evidence=(Evidence(metric="action.inverted", value=1.0, limit=0.0),),
                )
    return None


def _find_deciding(effects: Array, seen: Array) -> int | None:
    """The column whose sign is that of the effect, or its opposite, where the size of the effect is always the same."""
    known = np.isfinite(effects) & (np.abs(effects) > 1e-9)
    if known.sum() < FEWEST_STATES:
        return None
    size = float(np.median(np.abs(effects[known])))
    usual = known & (np.abs(np.abs(effects) - size) <= EQUAL * size)
    signs = np.sign(effects[usual])
    if usual.sum() < EQUAL_SHARE * len(effects) or min((signs > 0).sum(), (signs < 0).sum()) < FEWEST_EACH:
        return None
    for column in range(seen.shape[1]):
        values = seen[usual, column]
        clear = values != 0.0
        follows = np.sign(values[clear]) == signs[clear]
        both = min((values > 0).sum(), (values < 0).sum()) >= FEWEST_EACH
        if both and (follows.all() or not follows.any()):
            return column
    return None
