"""Readings of the plays of a survey that several rules on the reward share."""

from __future__ import annotations

from itertools import combinations
from math import atanh, inf, sqrt

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, CUT, EXPERTS, POLICY, TERMINATED, Flags, Play, Survey
from weaklink.base.stats import Contest, blocks, contest

LARGEST = 1e100
"""Beyond this a reward is a number in name only: its square has no place in a double."""

MOST_RETURNS = 2000
FEWEST_EPISODES = 5
CHANCE = 0.01
"""How often chance alone may tell policies apart that are the same."""


def is_sound(values: Array) -> bool:
    """Whether there are values and all of them can be reckoned with."""
    return len(values) > 0 and bool(np.all(np.abs(values) < LARGEST))


def sound_plays(survey: Survey) -> dict[str, Play]:
    """Every play but that of a trained policy whose rewards are all numbers; the others are for non-finite-reward."""
    return {
        name: play
        for name, play in survey.plays.items()
        if name != POLICY and len(play.rewards) == int(play.lengths.sum()) and is_sound(play.rewards)
    }


def sound_baselines(survey: Survey) -> dict[str, Play]:
    """Of these, those with enough whole episodes to compare."""
    return {name: play for name, play in sound_plays(survey).items() if play.episodes >= FEWEST_EPISODES}


def experts_of(plays: dict[str, Play]) -> list[str]:
    """Which of the plays are of policies that know or search for something."""
    return [name for name in EXPERTS if name in plays]


def best_of(plays: dict[str, Play]) -> str:
    """The play with the highest mean return."""
    return max(plays, key=lambda name: float(plays[name].returns.mean()))


def summed(play: Play, values: Array) -> Array:
    """The sum of a quantity over each episode that was played to its end."""
    return np.asarray(np.bincount(play.episode_of, weights=values, minlength=len(play.lengths))[play.ends != CUT])


def last_steps(play: Play) -> Flags:
    """The steps with which episodes ended, however they ended."""
    marks = np.zeros(len(play.rewards), dtype=bool)
    ended = (play.ends != CUT) & (play.lengths > 0)
    marks[(play.starts + play.lengths - 1)[ended]] = True
    return marks


def terminal_steps(play: Play) -> Flags:
    """The steps that terminated an episode."""
    marks = np.zeros(len(play.rewards), dtype=bool)
    ended = ((play.ends == TERMINATED) | (play.ends == BOTH)) & (play.lengths > 0)
    marks[(play.starts + play.lengths - 1)[ended]] = True
    return marks


def held(first: Array, second: Array, confidence: float = 1.0 - CHANCE) -> Contest:
    """The contest of two samples, which nobody wins where one is empty; many values are compared by means of blocks."""
    if not len(first) or not len(second):
        return Contest(0.0, -inf, inf, 0.5)
    return contest(blocks(first, MOST_RETURNS), blocks(second, MOST_RETURNS), confidence=confidence)


def told_apart(samples: dict[str, Array]) -> bool:
    """Whether any two of several samples differ in their means, beyond what chance does among so many pairs."""
    pairs = list(combinations(samples.values(), 2))
    return any(held(first, second, 1.0 - CHANCE / len(pairs)).apart for first, second in pairs)


def correlation(first: Array, second: Array) -> float:
    """The correlation of two quantities; 0 where one of them is constant."""
    one, other = first - first.mean(), second - second.mean()
    norm = float(np.sqrt((one @ one) * (other @ other)))
    flat = norm <= 1e-12 * len(first) * float(np.abs(first).max()) * float(np.abs(second).max()) or norm == 0.0
    return 0.0 if flat else float(np.clip((one @ other) / norm, -1.0, 1.0))


def beyond_chance(correlated: float, count: int) -> bool:
    """Whether a correlation over so many pairs is more than chance gives once in a thousand times."""
    if count < 6:
        return False
    return abs(atanh(min(abs(correlated), 0.999999))) * sqrt(count - 3) > 3.3


def names(plays: dict[str, Play] | list[str]) -> str:
    """`random`, `random and zero`, `random, zero and search`."""
    words = list(plays)
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
