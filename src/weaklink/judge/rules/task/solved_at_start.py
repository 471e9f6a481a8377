from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import CUT, RANDOM, SUCCESS, Play, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_EPISODES, FEWEST_PLAYS = 20, 3

NEARLY_ALL = 0.95  # of the episodes of each policy


@rule(
    "TSK110",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("OBS101", "OBS102", "OBS108", "REW105", "REW107", "TSK101", "TSK102", "TSK105"),
)
def solved_at_start(survey: Survey, *, steps: int = 2) -> Answer:
    """Every episode succeeds in its first steps, whatever is done.

    ## What it sees
    Of three policies or more, one of them random, nearly all episodes end within 2 steps, and the info calls each of
    them a success.

    ## Why it is bad
    There is nothing to learn: the task is solved before the policy has done anything. Success rates are perfect from
    the first update on, and say nothing.

    ## What to do
    1. Look at the start and at the goal: places in different frames, a start that is drawn around the goal.
    2. Check the tolerance: its units, and whether it is larger than the world.

    ## How to prove it
    Print the distance to the goal right after the reset, beside the tolerance.

    ## When it is wrong
    The first lesson of a curriculum.

    ## References
    Practice.
    """
    plays = {name: play for name, play in survey.baselines.items() if play.episodes >= FEWEST_EPISODES}
    told = {name: share for name, play in plays.items() if (share := _measure_success(play, steps)) is not None}
    if RANDOM not in told or len(told) < FEWEST_PLAYS:
        return CannotTell((RANDOM,), f"fewer than {FEWEST_PLAYS} policies with episodes that tell of success")
    worst = min(told.values())
    if worst < NEARLY_ALL:
        return None
    return Finding(
        message=f"At least {worst:.0%} of the episodes of {join_names(told)} end with a success within {steps} steps: "
        "the task is solved as it starts.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="task.solved_at_start", value=worst, limit=NEARLY_ALL),),
    )


def _measure_success(play: Play, steps: int) -> float | None:
    """The share of whole episodes that are short and end with a success; None where none tells of success."""
    key = next((key for key in SUCCESS if len(play.metrics.get(key, ())) == len(play.rewards)), None)
    if key is None:
        return None
    whole = (play.ends != CUT) & (play.lengths > 0)
    last = play.metrics[key][(play.starts + play.lengths - 1)[whole]]
    return float(np.mean((last > 0) & (play.lengths[whole] <= steps)))
