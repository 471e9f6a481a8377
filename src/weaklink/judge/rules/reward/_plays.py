"""What several rules on the reward compute from the plays of a survey."""

from __future__ import annotations

from itertools import combinations
from math import atanh, inf, sqrt

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, CUT, EXPERTS, POLICY, TERMINATED, Flags, Play, Survey
from weaklink.base.stats import Contest, block_means, compare_means

LARGEST = 1e100  # larger rewards are as good as infinite: sums of their squares overflow a double

MOST_RETURNS = 2000  # returns of a bootstrap; more are averaged in blocks, which changes nothing but the time

FEWEST_EPISODES = 5  # whole episodes below which a mean return says nothing

CHANCE = 0.01  # how often chance alone may separate policies that are equal


def is_sound(values: Array) -> bool:
    """Whether there are values and all of them are finite and not absurdly large."""
    return len(values) > 0 and bool(np.all(np.abs(values) < LARGEST))


def select_sound_plays(survey: Survey) -> dict[str, Play]:
    """Every play except a trained policy's whose rewards are all finite; REW111 reports the others."""
    return {
        name: play
        for name, play in survey.plays.items()
        if name != POLICY and len(play.rewards) == int(play.lengths.sum()) and is_sound(play.rewards)
    }


def select_sound_baselines(survey: Survey) -> dict[str, Play]:
    """Those of them with enough whole episodes to compare."""
    return {name: play for name, play in select_sound_plays(survey).items() if play.episodes >= FEWEST_EPISODES}


def list_experts(plays: dict[str, Play]) -> list[str]:
    """The plays of policies that know the task or search for a better return."""
    return [name for name in EXPERTS if name in plays]


def find_best(plays: dict[str, Play]) -> str:
    """The play with the highest mean return."""
    return max(plays, key=lambda name: float(plays[name].returns.mean()))


def sum_by_episode(play: Play, values: Array) -> Array:
    """The sum of a quantity over each whole episode."""
    return np.asarray(np.bincount(play.episode_of, weights=values, minlength=len(play.lengths))[play.ends != CUT])


def mark_last_steps(play: Play) -> Flags:
    """Marks the last steps of episodes, terminated or truncated."""
    return _mark_ends(play, play.ends != CUT)


def mark_terminations(play: Play) -> Flags:
    """Marks the steps that terminated an episode."""
    return _mark_ends(play, (play.ends == TERMINATED) | (play.ends == BOTH))


def _mark_ends(play: Play, ended: Flags) -> Flags:
    marks = np.zeros(len(play.rewards), dtype=bool)
    marks[(play.starts + play.lengths - 1)[ended & (play.lengths > 0)]] = True
    return marks


def compare_samples(first: Array, second: Array, confidence: float = 1.0 - CHANCE) -> Contest:
    """Compares two samples by bootstrap; neither is better where one is empty. Many values are averaged in blocks."""
    if not len(first) or not len(second):
        return Contest(0.0, -inf, inf, 0.5)
    return compare_means(block_means(first, MOST_RETURNS), block_means(second, MOST_RETURNS), confidence=confidence)


def differ(samples: dict[str, Array]) -> bool:
    """Whether the means of any two samples differ significantly, corrected for the number of pairs."""
    pairs = list(combinations(samples.values(), 2))
    return any(compare_samples(first, second, 1.0 - CHANCE / len(pairs)).apart for first, second in pairs)


def correlate(first: Array, second: Array) -> float:
    """The correlation of two quantities; 0 where one of them is constant."""
    one, other = first - first.mean(), second - second.mean()
    norm = float(np.sqrt((one @ one) * (other @ other)))
    flat = norm <= 1e-12 * len(first) * float(np.abs(first).max()) * float(np.abs(second).max()) or norm == 0.0
    return 0.0 if flat else float(np.clip((one @ other) / norm, -1.0, 1.0))


def is_beyond_chance(correlated: float, count: int) -> bool:
    """Whether chance gives such a correlation over so many pairs less than once in a thousand times (z = 3.3)."""
    if count < 6:
        return False
    return abs(atanh(min(abs(correlated), 0.999999))) * sqrt(count - 3) > 3.3
