"""The effect of each action dimension, from the sweeps of a survey."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.base.stats import compare_means, level

NOTHING = 1e-9  # effects up to this, in standard deviations of an observation, are rounding

FEWEST_STATES = 3  # with fewer states a sweep may have met special cases only

# episodes of a policy for its returns to be compared; the bootstrap of more takes long and changes nothing
FEWEST_EPISODES, MOST_EPISODES = 20, 500

EXTREME = 0.99  # positions from here on count as the end of the range; they go from -1 to 1


def is_swept(sweep: ActionSweep, states: int = FEWEST_STATES) -> bool:
    """Whether the dimension was swept over several values from several states."""
    return len(sweep.positions) > 1 and min(len(sweep.motion), len(sweep.near)) >= states


def changes_observation(sweep: ActionSweep) -> bool:
    """Whether the dimension changes the observation in any state; NaN and infinity count as a change."""
    return bool(np.any(~(np.abs(sweep.near) <= NOTHING)) or np.any(~(np.abs(sweep.far) <= NOTHING)))


def changes_reward(sweep: ActionSweep) -> bool:
    """Whether the dimension changes the reward, in any state."""
    return bool(np.any(~(np.abs(sweep.near_reward) <= NOTHING)) or np.any(~(np.abs(sweep.far_reward) <= NOTHING)))


def select_continuous(survey: Survey) -> tuple[ActionSweep, ...]:
    """The sweeps over continuous dimensions."""
    if survey.action is None:
        return ()
    kinds = [column.kind for column in survey.action.columns]
    numbers = {place for place, kind in enumerate(kinds) if kind == "number"}
    return tuple(sweep for sweep in survey.sweeps if sweep.dimension in numbers)


def measure_ends(effects: Array, positions: Array) -> Array:
    """For each state the larger effect of the two ends of the range; infinite where it is not finite."""
    ends = np.abs(positions) >= EXTREME
    return np.asarray(np.where(np.isfinite(effects[:, ends]), effects[:, ends], np.inf).max(axis=1))


def take_median(values: Array) -> float:
    """The median; infinite for no values."""
    return level(values) if len(values) else float("inf")


def measure_reward_scale(survey: Survey, horizon: int) -> float:
    """The standard deviation of the rewards of random play, summed over windows of this many steps."""
    play = survey.plays.get("random")
    if play is None or not len(play.rewards):
        return 0.0
    sums = []
    for start, length in zip(play.starts.tolist(), play.lengths.tolist(), strict=True):
        total = np.concatenate([[0.0], np.cumsum(play.rewards[start : start + length])])
        # windows are aligned to the end of the episode, where many tasks pay
        ends = np.arange(length, 0, -horizon)
        sums.append(total[ends] - total[np.maximum(ends - horizon, 0)])
    together = np.concatenate(sums)
    together = together[np.isfinite(together)]
    return float(together.std()) if len(together) else 0.0


def find_equal_plays(survey: Survey) -> list[str]:
    """The policies that all earn the same, random play and a searching one among them; none where any two differ."""
    plays = {name: play.returns[np.isfinite(play.returns)] for name, play in survey.baselines.items()}
    plays = {name: returns[:MOST_EPISODES] for name, returns in plays.items() if len(returns) >= FEWEST_EPISODES}
    if len(plays) < 3 or not {"search", "tabular"} & set(plays) or "random" not in plays:
        return []
    apart = any(compare_means(first, second).apart for first, second in combinations(plays.values(), 2))
    return [] if apart else list(plays)
