"""How well the plays of a survey did against each other; what several rules on the task reckon with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, EXPERTS, GIVEN, POLICY, RANDOM, TERMINATED, Flags, Play, Survey
from weaklink.base.stats import Contest, contest
from weaklink.base.stats.condensed import condensed

KNOWING = (*GIVEN, "tabular")
"""Plays whose success proves that something can be done, and does not show that a learner would find it."""

FEWEST = 5
"""Whole episodes without which a play is compared with nothing."""

LARGEST = 1e150
"""Returns beyond this overflow when they are squared, and mean nothing."""

SUCCESS = ("is_success", "success", "goal_reached", "reached_goal", "goal_achieved", "solved")
"""Info keys that say whether the goal is reached."""


class Rival(NamedTuple):
    """An expert that is better than random play beyond chance, and by how much."""

    name: str
    gap: float


def stepped(survey: Survey) -> dict[str, Play]:
    """The plays that are known step by step; a trained policy may be known by its returns alone."""
    return {
        name: play
        for name, play in survey.plays.items()
        if name != POLICY or play.observations is not None or play.seconds > 0 or bool(np.any(play.lengths != 1))
    }


def finite_returns(play: Play | None) -> Array:
    """The returns of the whole episodes; what is no number that can be reckoned with is left out."""
    if play is None:
        return np.empty(0)
    with np.errstate(over="ignore", invalid="ignore"):
        returns = play.returns
        return np.asarray(returns[np.abs(returns) < LARGEST])


def duel(first: Array, second: Array, *, confidence: float = 0.99) -> Contest | None:
    """Whether the first returns are better than the second; None where there are too few."""
    if min(len(first), len(second)) < FEWEST:
        return None
    return contest(condensed(first), condensed(second), confidence=confidence)


def strongest(survey: Survey) -> Rival | None:
    """The best of the experts that are better than random play beyond chance."""
    untrained = finite_returns(survey.plays.get(RANDOM))
    rivals = []
    for name in EXPERTS:
        held = duel(finite_returns(survey.plays.get(name)), untrained)
        if held is not None and held.better:
            rivals.append(Rival(name, held.difference))
    return max(rivals, key=lambda rival: rival.gap, default=None)


def climbed(survey: Survey) -> bool:
    """Whether the search does better than every play that knows nothing: then the reward has a slope to climb."""
    found = finite_returns(survey.plays.get("search"))
    simple = [play for name, play in survey.baselines.items() if name not in EXPERTS]
    duels = [duel(found, finite_returns(play)) for play in simple]
    return bool(duels) and all(held is not None and held.better for held in duels)


def success_key(survey: Survey) -> str:
    """The info key that says at each step whether the goal is reached; empty where there is none."""
    keys = {key for play in survey.plays.values() for key in play.metrics}
    named = [survey.goal_metric] if survey.goal_metric in keys else []
    for key in (*named, *sorted(key for key in keys if key.lower() in SUCCESS)):
        values = [play.metrics[key] for play in survey.plays.values() if key in play.metrics]
        if all(_binary(column) for column in values):
            return key
    return ""


def _binary(values: Array) -> bool:
    return bool(np.all((values == 0.0) | (values == 1.0) | np.isnan(values)))


def reached(play: Play, key: str) -> Flags:
    """At which steps the goal is reached; empty where the play does not tell."""
    return np.asarray(play.metrics[key] > 0.5) if key in play.metrics else np.zeros(0, dtype=bool)


def goal_reached_by(survey: Survey, key: str) -> list[str]:
    """The plays that reach the goal at least once."""
    return [name for name, play in survey.plays.items() if reached(play, key).any()]


def terminates(play: Play) -> bool:
    """Whether any of its episodes terminates."""
    return bool(((play.ends == TERMINATED) | (play.ends == BOTH)).any())


def ends_better(survey: Survey) -> list[str]:
    """The plays that know the way, or the trained policy, that terminate and do better than random play."""
    untrained = finite_returns(survey.plays.get(RANDOM))
    found, plays = [], stepped(survey)
    for name in (*KNOWING, POLICY):
        play = plays.get(name)
        held = duel(finite_returns(play), untrained)
        if play is not None and held is not None and held.better and terminates(play):
            found.append(name)
    return found


def listed(names: list[str]) -> str:
    """`random`, `random and zero`, `random, zero and search`."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
