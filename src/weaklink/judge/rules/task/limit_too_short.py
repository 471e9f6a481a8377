from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.judge.rules.observation._columns import KeptObservations, label_column, list_plays
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_EPISODES, FEWEST_PLAYS = 20, 3
FEWEST_OF_A_PLAY = 5

LONGEST, SHORTEST = 30, 3  # steps: longer episodes leave time, and in two hardly anything is meant to be done

DISTINCT = 10  # values at resets that make a spread
SMOOTH = 0.2  # of that spread, for one step: what jumps is drawn anew and not driven
SURE = 4.0  # standard errors by which two policies must bring a column unequally far


class MovedColumn(NamedTuple):
    """A column that policies drive, and how far they get in an episode, as a share of what resets spread it over."""

    column: int
    reach: float


@rule(
    "TSK118",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=("observation", RANDOM),
    leads_to=("TSK101", "TSK102", "TSK103", "TSK104", "TSK106", "TSK301", "REW107", "REW108", "REW301"),
    marks=("excused by learning",),
)
def limit_too_short(survey: Survey, *, most: float = 0.4) -> Answer:
    """Episodes are over before anything that resets spread out can be brought anywhere else.

    ## What it sees
    Every episode of every policy has the same length, of 30 steps at most. The columns that begin at many values, go on
    smoothly and get unequally far under different policies are driven by the actions; from the beginning to the
    end of an episode none of them moves by more than `most` of the range in which resets put it (5 % to 95 %), under
    any policy, constant actions at either bound among them.

    ## Why it is bad
    What an episode pays is decided by where it begins. Differences between policies are small beside that, and whatever
    is to be reached is out of reach from nearly everywhere.

    ## What to do
    1. Compare the distance that is to be covered with what one step covers at the most: that many steps are needed.
    2. Raise the time limit, or let an action last for several steps of the simulation.
    3. Check the unit of the limit: seconds, or steps of the simulation, or decisions.

    ## How to prove it
    Play the strongest constant action for one episode, and print that column at the beginning and at the end.

    ## When it is wrong
    A task in which small corrections are all that is wanted.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018.
    """
    plays = [each for each in list_plays(survey) if each.play.episodes >= FEWEST_OF_A_PLAY]
    lengths = np.concatenate([each.play.ended_lengths for each in plays]) if plays else np.zeros(0)
    if len(lengths) < FEWEST_EPISODES or len(plays) < FEWEST_PLAYS:
        return CannotTell((RANDOM,), f"fewer than {FEWEST_EPISODES} whole episodes of {FEWEST_PLAYS} policies")
    if not SHORTEST <= lengths.min() == lengths.max() <= LONGEST:
        return None
    moved = [found for each in range(len(survey.column_kinds)) if (found := _measure(survey, plays, each)) is not None]
    if not moved or max(each.reach for each in moved) >= most:
        return None
    far = max(moved, key=lambda each: each.reach)
    return Finding(
        message=f"All {len(lengths)} episodes end after {lengths.max():.0f} steps, and by then no policy has moved "
        f"{label_column(survey, far.column)} by more than {far.reach:.0%} of the range in which resets put it: the "
        "time limit is too short for what begins there to get anywhere else.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="task.reach_in_an_episode", value=far.reach, limit=most),),
    )


def _measure(survey: Survey, plays: list[KeptObservations], column: int) -> MovedColumn | None:
    """How far a column gets; None where it is no number, begins in few places, jumps, or is driven by nobody."""
    if survey.column_kinds[column] != "number" or any(column >= each.before.shape[1] for each in plays):
        return None
    begun = np.concatenate([each.before[_list_firsts(each), column] for each in plays])
    low, high = np.quantile(begun, [0.05, 0.95])
    steps = np.concatenate([np.abs(each.after[:, column] - each.before[:, column]) for each in plays])
    spread = float(high - low)
    if len(np.unique(begun)) < DISTINCT or not spread > 0.0 or float(np.median(steps)) > SMOOTH * spread:
        return None
    moves = [_list_moves(each, column) for each in plays]
    moves = [each for each in moves if len(each) >= FEWEST_OF_A_PLAY]
    if len(moves) < FEWEST_PLAYS or not _differ(moves):
        return None
    return MovedColumn(column, max(float(np.quantile(np.abs(each), 0.95)) for each in moves) / spread)


def _list_firsts(kept: KeptObservations) -> Array:
    """The rows with which episodes begin that were kept to their end."""
    starts, lengths = kept.play.starts, kept.play.lengths
    return np.asarray(starts[starts + lengths <= len(kept.before)])


def _list_moves(kept: KeptObservations, column: int) -> Array:
    """From where to where a column went in each episode."""
    firsts = _list_firsts(kept)
    lasts = firsts + kept.play.lengths[: len(firsts)] - 1
    return np.asarray(kept.after[lasts, column] - kept.before[firsts, column])


def _differ(moves: list[Array]) -> bool:
    """Whether two policies bring a column unequally far."""
    means = np.array([np.abs(each).mean() for each in moves])
    errors = np.array([np.abs(each).std() / np.sqrt(len(each)) for each in moves])
    apart = np.abs(means[:, None] - means[None, :])
    return bool(np.any(apart > SURE * np.hypot(errors[:, None], errors[None, :]) + 1e-9))
