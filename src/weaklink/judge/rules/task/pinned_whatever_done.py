from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import EXPERTS, RANDOM, Play, Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_PLAYS, FEWEST_STEPS = 3, 300
FEWEST_EPISODES = 10
BEGINNING = 10  # steps of an episode in which it may still come there
FREE = 0.5  # of the episodes begin elsewhere, with a few different values
DISTINCT = 4
WIDEST = 64


@rule(
    "TSK112",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=("observation", RANDOM),
    leads_to=("OBS102", "OBS108", "REW105", "REW107", "REW108", "TSK102", "TSK103", "ENV108"),
)
def pinned_whatever_done(survey: Survey, *, share: float = 0.9, columns: float = 0.5) -> Answer:
    """The state is driven to its limit at once and stays there, whatever the policy.

    ## What it sees
    Half of the numeric columns that change begin episodes at different values and then rest exactly at the end of their
    range, in 90 % of all steps after the tenth, under each of three policies or more, a searching one among them; and
    nearly every step there pays the same reward.

    ## Why it is bad
    All queues are full, all tanks run over: no policy is better than another, and what the policy does makes a
    difference in the first few steps only.

    ## What to do
    1. Compare what comes in with what can leave at the most: rates per step against rates per minute, a factor.
    2. Start with a load that a simple rule can cope with, and raise it.

    ## How to prove it
    Play the best rule that you know, and print those columns: they must leave the limit.

    ## When it is wrong
    A flood that is meant, in which only the first steps are to be decided.

    ## References
    Practice; Kleinrock, Queueing Systems, 1975: no schedule is stable where more arrives than can be served.
    """
    plays = {
        name: play
        for name, play in survey.baselines.items()
        if play.observations is not None and np.count_nonzero(play.time[: play.kept] >= BEGINNING) >= FEWEST_STEPS
    }
    if len(plays) < FEWEST_PLAYS or RANDOM not in plays or not set(EXPERTS) & set(plays):
        return CannotTell((RANDOM,), f"fewer than {FEWEST_PLAYS} policies with long episodes, one of them searching")
    if plays[RANDOM].episodes < FEWEST_EPISODES or not 0 < len(survey.labels) <= WIDEST:
        return None
    rows = np.concatenate([np.asarray(play.observations) for play in plays.values()])
    moving = [
        place
        for place, kind in enumerate(survey.column_kinds)
        if kind == "number" and len(np.unique(rows[:, place])) > 1
    ]
    shares = {place: _measure_pinned(plays, rows, place) for place in moving}
    pinned = [place for place in moving if shares[place] >= share]
    if len(pinned) < max(2, columns * len(moving)) or not all(_pays_the_same(play, share) for play in plays.values()):
        return None
    worst = min(shares[place] for place in pinned)
    return Finding(
        message=f"{len(pinned)} of {len(moving)} columns that change ({survey.labels[pinned[0]]} to "
        f"{survey.labels[pinned[-1]]}) rest at the end of their range in at least {worst:.0%} of the steps "
        f"after step {BEGINNING}, under each of {len(plays)} policies, the search among them.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="task.pinned_share", value=worst, limit=share),),
    )


def _measure_pinned(plays: dict[str, Play], rows: Array, place: int) -> float:
    """The least share, over the policies, of later steps in which a column is at one end of its range."""
    begun = np.asarray(plays[RANDOM].observations)[
        plays[RANDOM].starts[plays[RANDOM].starts < plays[RANDOM].kept], place
    ]
    shares = [0.0]
    for end in (float(rows[:, place].min()), float(rows[:, place].max())):
        if np.mean(begun != end) >= FREE and len(np.unique(begun)) >= DISTINCT:
            later = [
                np.asarray(play.observations)[play.time[: play.kept] >= BEGINNING, place] for play in plays.values()
            ]
            shares.append(min(float(np.mean(values == end)) for values in later))
    return max(shares)


def _pays_the_same(play: Play, share: float) -> bool:
    """Whether nearly all later steps pay one and the same reward."""
    values, counts = np.unique(np.round(play.rewards[play.time >= BEGINNING], 9), return_counts=True)
    return bool(len(values)) and float(counts.max() / counts.sum()) >= share - 0.1
