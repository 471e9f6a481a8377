from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.observation._shown import EXACT, list_shown, predict
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS, FEWEST_EPISODES = 60, 8
DISTINCT = 5  # values that a number must have had at resets to be recognised in another column

CLEAR = 1e-2  # of a column's spread: it is not where it stands after steps

WIDEST = 64  # columns that are compared with attributes one by one


@rule(
    "OBS122",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "held"),
    leads_to=("OBS102", "OBS103", "OBS108", "OBS110", "ENV108", "TSK102", "TSK103"),
)
def other_order_at_reset(survey: Survey) -> Answer:
    """The first observation of an episode has its columns in another order than all later ones.

    ## What it sees
    A column of the observation is, after every step, exactly a straight line (or sine or cosine) of an attribute of the
    environment. After resets that same number stands in another column, in every episode, and not in its own.

    ## Why it is bad
    A network knows a quantity by its place. In the first step of each episode it takes a height for a speed, and the
    first action decides what follows; values are learned of a state that does not exist.

    ## What to do
    1. Build the observation in one method, and call it in `reset` and in `step`.
    2. Where both build it by hand, compare the two lines.

    ## How to prove it
    Print the attribute beside the observation after a reset and after a step. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    Where two attributes are the same when an episode begins, one cannot be told from the other.

    ## References
    Practice.
    """
    held = survey.held
    assert held is not None
    if len(held.rewards) < FEWEST_STEPS or len(held.lengths) < FEWEST_EPISODES or held.successors.shape[1] > WIDEST:
        return CannotTell(("held",), "too few steps or episodes beside the attributes, or too many columns")
    found = _find_moved(held)
    if found is None:
        return None
    attribute, own, other = found
    return Finding(
        message=f"`{held.labels[attribute]}` stands in {survey.labels[own]} after each of {len(held.rewards):,} steps, "
        f"and in {survey.labels[other]} after each of {len(held.lengths)} resets: the first observation has its "
        "columns in another order.",
        confidence=HIGH,
        evidence=(Evidence(metric="observation.columns_out_of_place", value=1.0, limit=0.0),),
    )


def _find_moved(held: HeldState) -> tuple[int, int, int] | None:
    """An attribute, the column that shows it after steps, and the other one that shows it after resets."""
    begun = held.observations[held.firsts]
    for shown in list_shown(held, held.after):
        wanted = predict(held.before[held.firsts], shown)
        spread = float(np.std(held.successors[:, shown.column]))
        away = np.abs(begun - wanted[:, None])
        if len(np.unique(wanted)) < DISTINCT or not np.all(away[:, shown.column] > CLEAR * spread):
            continue
        other = np.flatnonzero(np.all(away <= 10 * EXACT * spread, axis=0))
        if len(other):
            return shown.attribute, shown.column, int(other[0])
    return None
