"""How well the plays of a survey did compared with each other: what several rules on the task need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, EXPERTS, GIVEN, POLICY, RANDOM, SUCCESS, TERMINATED, Flags, Play, Survey
from weaklink.base.stats import Contest, compare_means
from weaklink.base.stats.condensed import condense

# plays whose success proves that the task can be done, but not that a learner would find out how
KNOWING = (*GIVEN, "tabular")

FEWEST = 5  # whole episodes below which a play is not compared

LARGEST = 1e150  # squares of larger returns overflow


class Rival(NamedTuple):
    """An expert that is significantly better than random play, and by how much."""

    name: str
    gap: float


def select_recorded(survey: Survey) -> dict[str, Play]:
    """Selects the plays with recorded steps; of a trained policy only the returns may be known."""
    return {
        name: play
        for name, play in survey.plays.items()
        if name != POLICY or play.observations is not None or play.seconds > 0 or bool(np.any(play.lengths != 1))
    }


def read_returns(play: Play | None) -> Array:
    """The returns of whole episodes without NaN, infinities and absurdly large ones."""
    if play is None:
        return np.empty(0)
    with np.errstate(over="ignore", invalid="ignore"):
        returns = play.returns
        return np.asarray(returns[np.abs(returns) < LARGEST])


def compare_returns(first: Array, second: Array, *, confidence: float = 0.99) -> Contest | None:
    """Compares two samples of returns by bootstrap; None where there are too few."""
    if min(len(first), len(second)) < FEWEST:
        return None
    return compare_means(condense(first), condense(second), confidence=confidence)


def is_better(first: Array, second: Array) -> bool:
    held = compare_returns(first, second)
    return held is not None and held.better


def find_strongest(survey: Survey) -> Rival | None:
    """Finds the best of the experts that are significantly better than random play."""
    untrained = read_returns(survey.plays.get(RANDOM))
    rivals = []
    for name in EXPERTS:
        held = compare_returns(read_returns(survey.plays.get(name)), untrained)
        if held is not None and held.better:
            rivals.append(Rival(name, held.difference))
    return max(rivals, key=lambda rival: rival.gap, default=None)


def has_gradient(survey: Survey) -> bool:
    """Whether the search does better than every play without knowledge: then the reward has a gradient to follow."""
    found = read_returns(survey.plays.get("search"))
    simple = [play for name, play in survey.baselines.items() if name not in EXPERTS]
    return bool(simple) and all(is_better(found, read_returns(play)) for play in simple)


def find_success_key(survey: Survey) -> str:
    """Finds the info key that says at each step whether the goal is reached; empty where there is none."""
    keys = {key for play in survey.plays.values() for key in play.metrics}
    named = [survey.goal_metric] if survey.goal_metric in keys else []
    for key in (*named, *sorted(key for key in keys if key.lower() in SUCCESS)):
        values = [play.metrics[key] for play in survey.plays.values() if key in play.metrics]
        if all(_is_binary(column) for column in values):
            return key
    return ""


def _is_binary(values: Array) -> bool:
    return bool(np.all((values == 0.0) | (values == 1.0) | np.isnan(values)))


def mark_goal(play: Play, key: str) -> Flags:
    """Marks the steps at which the goal is reached; empty where the play has no such key."""
    return np.asarray(play.metrics[key] > 0.5) if key in play.metrics else np.zeros(0, dtype=bool)


def list_goal_plays(survey: Survey, key: str) -> list[str]:
    """Lists the plays that reach the goal at least once."""
    return [name for name, play in survey.plays.items() if mark_goal(play, key).any()]


def terminates(play: Play) -> bool:
    """Whether any of its episodes terminates."""
    return bool(((play.ends == TERMINATED) | (play.ends == BOTH)).any())


def list_better_endings(survey: Survey) -> list[str]:
    """Lists the plays with knowledge, and the trained policy, that terminate and do better than random play."""
    untrained, plays = read_returns(survey.plays.get(RANDOM)), select_recorded(survey)
    ending = [name for name in (*KNOWING, POLICY) if name in plays and terminates(plays[name])]
    return [name for name in ending if is_better(read_returns(plays[name]), untrained)]
