"""A component of the reward as a shaping term: whether it is the difference of a potential."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Flags, Ints, Play, Survey
from weaklink.base.reference.shaping import Shaping, examine_shaping
from weaklink.judge.rules.reward._plays import is_sound, mark_terminations, select_sound_plays

MOST_STEPS = 4000  # steps over all plays: the search for loops is quadratic within an episode


class TermSteps(NamedTuple):
    """The first steps of every play that reports a term, with their rewards."""

    states: Array
    successors: Array
    terms: Array
    episode: Ints
    terminated: Flags
    rewards: Array


def collect_term_steps(survey: Survey, key: str) -> TermSteps | None:
    """The steps of all plays that have both observations and the term; None where no play has."""
    plays = [play for play in select_sound_plays(survey).values() if _has_term(play, key)]
    if not plays:
        return None
    pieces = [
        _take_steps(play, key, MOST_STEPS // len(plays), number * 10_000_000) for number, play in enumerate(plays)
    ]
    return TermSteps(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def examine_term(steps: TermSteps, gamma: float, longest: int = 100) -> Shaping:
    """What the term is: the difference of a potential, paid for circles, or none of both."""
    return examine_shaping(
        steps.states, steps.successors, steps.terms, gamma, steps.episode, steps.terminated, longest=longest
    )


def _has_term(play: Play, key: str) -> bool:
    values = play.components.get(key)
    if values is None or len(values) != len(play.rewards) or not is_sound(values) or play.kept == 0:
        return False
    return play.successors is not None and len(play.successors) == play.kept


def _take_steps(play: Play, key: str, most: int, number: int) -> TermSteps:
    count = min(play.kept, most, len(play.rewards))
    assert play.observations is not None
    assert play.successors is not None
    return TermSteps(
        play.observations[:count],
        play.successors[:count],
        play.components[key][:count],
        play.episode_of[:count] + number,
        mark_terminations(play)[:count],
        play.rewards[:count],
    )
