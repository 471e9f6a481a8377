from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.observation._columns import KeptObservations, list_plays
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 500

VALUES = 3  # that a column must take: two flags may well be equal

WIDEST = 32  # columns: larger observations repeat numbers by design, as the velocities of bodies that are one


@rule(
    "OBS119",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "random"),
    leads_to=("OBS108", "OBS110", "TSK102", "TSK103", "TSK106"),
)
def repeated_column(survey: Survey) -> Answer:
    """One observation column is always equal to another.

    ## What it sees
    Two columns of one array that take three values or more are exactly equal at every step of every policy, 500 at
    least. Arrays of more than 32 columns, flags, pixels, and parts of a dict that are meant to agree, such as
    `achieved_goal`, are left alone; so are tables with a row for each agent, an array of which half repeats the
    other, and a number beside its own history, of which the newest entry is the number itself.

    ## Why it is bad
    A column that repeats another tells nothing, and mostly stands where something else was meant to: what that was is
    missing, and the policy cannot know it.

    ## What to do
    1. Look at how both columns are filled: an index used twice, a name that was copied.
    2. Put what is missing in the place of the second, or leave it out.

    ## How to prove it
    Put the environment into two states that must differ in one of the two columns alone, and print both.

    ## When it is wrong
    Two sensors of one thing, or numbers that are repeated to give them weight.

    ## References
    Practice.
    """
    plays = list_plays(survey)
    steps = sum(len(each.before) for each in plays)
    if steps < FEWEST_STEPS:
        return CannotTell(("random",), f"only {steps:,} of {FEWEST_STEPS:,} steps")
    width = min(each.before.shape[1] for each in plays)
    if not 2 <= width <= WIDEST or width != len(survey.labels) or (survey.equal_frames or 0) > 1:
        return None
    rows = np.concatenate([each.after[:, :width] for each in plays])
    parts = [label.partition("[")[0] for label in survey.labels]
    telling = [place for place in range(width) if survey.column_kinds[place] in ("number", "category")]
    telling = [place for place in telling if len(np.unique(rows[:, place])) >= VALUES]
    tables = _list_tables(survey.observation)  # a row for each of several agents, which may well see the same
    telling = [place for place in telling if parts[place] not in tables]
    pairs = [
        (first, second)
        for number, second in enumerate(telling)
        for first in telling[:number]
        if parts[first] == parts[second] and np.array_equal(rows[:, first], rows[:, second])
    ]
    pairs = [pair for pair in pairs if not _is_remembered(plays, pair)]
    if not pairs or 2 * len({second for _, second in pairs}) >= width:
        return None
    first, second = pairs[0]
    return Finding(
        message=f"{survey.labels[second]} is equal to {survey.labels[first]} at each of {len(rows):,} steps under "
        f"{len(plays)} polic{'y' if len(plays) == 1 else 'ies'}: one of the two stands in the place of something else.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric="observation.equal_columns", value=float(len(pairs)), limit=0.0),),
    )


def _is_remembered(plays: Sequence[KeptObservations], pair: tuple[int, int]) -> bool:
    """Whether a further column always has what the two had a step before: one of them is the newest of a history."""
    width = plays[0].before.shape[1]
    return any(
        all(np.array_equal(play.after[:, other], play.before[:, pair[0]]) for play in plays)
        for other in range(width)
        if other not in pair
    )


def _list_tables(space: Space | None) -> set[str]:
    """The arrays with several rows, as labels name them."""
    if space is None:
        return set()
    named = space.parts.items() if space.parts else [("observation", space)]
    return {key for key, part in named if len(part.shape) > 1}
