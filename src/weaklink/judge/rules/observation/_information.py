"""Whether observations carry information about reward: each column, linearly or not, and all columns together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import CUT, Flags, Ints, Play, Survey
from weaklink.judge.rules.observation._prediction import (
    encode,
    make_cost_features,
    measure_unexplained,
    split_episodes,
    standardise_columns,
    subtract_fit,
)

TO_GO, REWARD = "return to go", "reward"

BINS = 8  # bins of equal size for a number: enough for a curve, few enough that each has many rows

MOST_GROUPS = 600  # a category of more values is binned like a number: its groups would be too small

SHIFTS = 30  # shifted targets; the largest of their statistics is exceeded by chance about once in thirty

SAME_TIME = 5  # episodes that must reach a time step for its mean to be subtracted

# columns and steps of the joint fit, and numbers of the tests by column: what takes about a second
MOST_FITTED = 64
MOST_STEPS = 10_000
MOST_CELLS = 2_000_000


@dataclass(frozen=True)
class RewardPairs:
    """Observations and actions of whole episodes, and the rewards that they might predict.

    The effects of time alone and of the action alone are removed from the targets; `left` is the share of the variance
    of the rewards that remains.
    """

    columns: Array
    after: Array
    actions: Array
    episodes: Ints
    rewards: Array
    targets: dict[str, Array]
    left: float

    @property
    def count(self) -> int:
        """How many episodes there are."""
        return int(np.count_nonzero(np.bincount(self.episodes)))


@dataclass(frozen=True)
class InformationSigns:
    """The strongest signs of information: one column linearly, one column in any way, all columns together.

    `straight_by_chance` and `curved_by_chance` are the values of the first two without any information. What was not
    computed because an earlier sign was clear is 0.
    """

    straight: float
    straight_by_chance: float
    curved: float = 0.0
    curved_by_chance: float = 0.0
    together: float = 0.0
    clear: bool = False


def collect_pairs(survey: Survey, play: Play) -> RewardPairs | None:
    """Collects the steps of whole episodes among those kept; None where there are none."""
    kept = play.kept
    if not kept or play.observations is None or play.successors is None or play.actions is None:
        return None
    whole = (play.starts + play.lengths <= kept) & (play.ends != CUT)
    usable = whole[play.episode_of[:kept]]
    usable &= np.isfinite(play.observations).all(axis=1) & np.isfinite(play.successors).all(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        targets = {TO_GO: play.to_go(survey.gamma)[:kept], REWARD: play.rewards[:kept]}
    usable &= np.isfinite(targets[TO_GO])
    time = play.time[:kept]
    usable &= _is_often_reached(time, usable)
    if not usable.any():
        return None
    actions = play.actions[usable]
    moments = time[usable]
    costs = np.stack(
        [_subtract_time_mean(column, moments) for column in make_cost_features(survey.action, actions).T], axis=1
    )
    beyond = {
        name: subtract_fit(costs, _subtract_time_mean(values[usable], moments)) for name, values in targets.items()
    }
    return RewardPairs(
        columns=play.observations[usable],
        after=play.successors[usable],
        actions=actions,
        episodes=play.episode_of[:kept][usable],
        rewards=targets[REWARD][usable],
        targets=beyond,
        left=float(beyond[REWARD].var() / max(float(targets[REWARD][usable].var()), 1e-300)),
    )


def find_information(
    survey: Survey, given: RewardPairs, name: str, correlation: float, together: float
) -> InformationSigns:
    """Tests whether observations predict a target; for the reward of a step the next observation counts too."""
    target, after = given.targets[name], name == REWARD
    columns = np.concatenate([given.columns, given.after], axis=1) if after else given.columns
    choice = np.array([column.kind == "category" for column in survey.columns] * (2 if after else 1), dtype=bool)
    step = max(1, columns.size // MOST_CELLS)
    thin, aim = columns[::step], standardise(target[::step])
    shifted = shift_target(aim, int(np.bincount(given.episodes).max()) // step + 1)
    numbers = standardise_columns(thin[:, ~choice])
    straight, chance = _correlate(numbers, aim), max(_correlate(numbers, other) for other in shifted)
    if straight > max(correlation, chance):
        return InformationSigns(straight, chance, clear=True)
    groups = [_assign_bins(thin[:, place], bool(choice[place])) for place in range(thin.shape[1])]
    curved, luck = _measure_between(groups, aim), max(_measure_between(groups, other) for other in shifted)
    if curved > luck:
        return InformationSigns(straight, chance, curved, luck, clear=True)
    told = _explain_together(survey, given, name)
    return InformationSigns(straight, chance, curved, luck, told, clear=told > together)


def _is_often_reached(time: Ints, usable: Flags) -> Flags:
    """For each step whether enough episodes reach its time step."""
    counts = np.bincount(time[usable], minlength=int(time.max(initial=0)) + 1)
    return np.asarray(counts[time] >= SAME_TIME)


def _subtract_time_mean(values: Array, time: Ints) -> Array:
    """The values minus the mean of their time step."""
    counts = np.maximum(np.bincount(time), 1)
    return np.asarray(values - (np.bincount(time, weights=values) / counts)[time])


def standardise(values: Array) -> Array:
    """The values with mean 0 and standard deviation 1."""
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-300))


def _assign_bins(values: Array, category: bool) -> Ints:
    """The bin of each value: equal shares for numbers, one bin per value for categories."""
    ordered = np.sort(values)
    distinct = ordered[np.concatenate([[True], np.diff(ordered) > 0])]
    if not (category and len(distinct) <= MOST_GROUPS) and len(distinct) > BINS:
        distinct = ordered[(np.arange(BINS) * len(ordered)) // BINS]
    return np.asarray(np.clip(np.searchsorted(distinct, values, side="right") - 1, 0, None), dtype=np.int64)


def shift_target(target: Array, longest: int) -> list[Array]:
    """Copies of the target, each shifted by at least one episode: what chance alone gives.

    A shift keeps the correlation of adjacent steps, which shuffling would destroy.
    """
    rng = np.random.default_rng(0)
    length = len(target)
    least = min(longest, length // 3)
    return [np.roll(target, int(shift)) for shift in rng.integers(least, max(length - least, least + 1), SHIFTS)]


def _correlate(numbers: Array, target: Array) -> float:
    """The largest correlation of a column with the target, both with standard deviation 1."""
    return float(np.abs(numbers.T @ target / len(target)).max(initial=0.0))


def _measure_between(groups: list[Ints], target: Array) -> float:
    """The largest share of the variance of the target that lies between the bins of a column."""
    shares = []
    for group in groups:
        sizes = np.maximum(np.bincount(group), 1)
        sums = np.bincount(group, weights=target)
        shares.append(float((sums**2 / sizes).sum()) / len(target))
    return max(shares)


def _explain_together(survey: Survey, given: RewardPairs, name: str) -> float:
    """How much of a target all columns explain together with the action, whose own effect was removed before."""
    first = slice(0, MOST_STEPS)
    half = split_episodes(given.episodes[first])
    if half is None or survey.action is None:
        return 0.0
    acted = standardise_columns(encode(survey.action.columns, given.actions[first]))
    seen = standardise_columns(encode(survey.columns, given.columns[first]))[:, :MOST_FITTED]
    aim, known = standardise(given.targets[name][first])[:, None], np.concatenate([acted, seen], axis=1)
    return 1.0 - min(float(measure_unexplained(known, aim, half)[0]), 1.0)
