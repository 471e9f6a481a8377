"""Whether observations say anything about reward: by column, in a straight line or not, and all of them together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import CUT, Flags, Ints, Play, Survey
from weaklink.judge.rules.observation._prediction import beyond_fit, costs_of, encoded, halves, scaled, unexplained

TO_GO, REWARD = "return to go", "reward"

BINS = 8
MOST_GROUPS = 600
SHIFTS = 30
SAME_TIME = 5
"""Episodes that have to reach a moment for its mean to be taken out."""

MOST_FITTED = 64
MOST_STEPS = 10_000
MOST_CELLS = 2_000_000


@dataclass(frozen=True)
class Pairs:
    """Observations and actions of whole episodes, and the rewards that they might tell.

    What time alone and the action alone make of the rewards is taken out of the targets; `left` is the share of the
    variance of the rewards that is left then.
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
class Signs:
    """The strongest signs of information: of one column in a straight line, of one in any line, of all together.

    `straight_by_chance` and `curved_by_chance` are what the first two come to where nothing is told. What was not
    worked out because an earlier sign was clear is 0.
    """

    straight: float
    straight_by_chance: float
    curved: float = 0.0
    curved_by_chance: float = 0.0
    together: float = 0.0
    clear: bool = False


def pairs(survey: Survey, play: Play) -> Pairs | None:
    """The steps of whole episodes among those kept; None where there are none."""
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
    usable &= _often(time, usable)
    if not usable.any():
        return None
    actions = play.actions[usable]
    moments = time[usable]
    costs = np.stack([_beyond_time(column, moments) for column in costs_of(survey.action, actions).T], axis=1)
    beyond = {name: beyond_fit(costs, _beyond_time(values[usable], moments)) for name, values in targets.items()}
    return Pairs(
        columns=play.observations[usable],
        after=play.successors[usable],
        actions=actions,
        episodes=play.episode_of[:kept][usable],
        rewards=targets[REWARD][usable],
        targets=beyond,
        left=float(beyond[REWARD].var() / max(float(targets[REWARD][usable].var()), 1e-300)),
    )


def signs(survey: Survey, given: Pairs, name: str, correlation: float, together: float) -> Signs:
    """What the observations tell of a target; of a reward, what followed the step may tell it too."""
    target, after = given.targets[name], name == REWARD
    columns = np.concatenate([given.columns, given.after], axis=1) if after else given.columns
    choice = np.array([column.kind == "category" for column in survey.columns] * (2 if after else 1), dtype=bool)
    step = max(1, columns.size // MOST_CELLS)
    thin, aim = columns[::step], _unit(target[::step])
    shifted = _shifted(aim, int(np.bincount(given.episodes).max()) // step + 1)
    numbers = scaled(thin[:, ~choice])
    straight, chance = _straight(numbers, aim), max(_straight(numbers, other) for other in shifted)
    if straight > max(correlation, chance):
        return Signs(straight, chance, clear=True)
    groups = [_grouped(thin[:, place], bool(choice[place])) for place in range(thin.shape[1])]
    curved, luck = _between(groups, aim), max(_between(groups, other) for other in shifted)
    if curved > luck:
        return Signs(straight, chance, curved, luck, clear=True)
    told = _together(survey, given, name)
    return Signs(straight, chance, curved, luck, told, clear=told > together)


def _often(time: Ints, usable: Flags) -> Flags:
    counts = np.bincount(time[usable], minlength=int(time.max(initial=0)) + 1)
    return np.asarray(counts[time] >= SAME_TIME)


def _beyond_time(values: Array, time: Ints) -> Array:
    """The values without the mean of their moment in the episode."""
    counts = np.maximum(np.bincount(time), 1)
    return np.asarray(values - (np.bincount(time, weights=values) / counts)[time])


def _unit(values: Array) -> Array:
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-300))


def _grouped(values: Array, category: bool) -> Ints:
    """The bin of each value: of equal share for numbers, of its own for choices."""
    ordered = np.sort(values)
    distinct = ordered[np.concatenate([[True], np.diff(ordered) > 0])]
    if not (category and len(distinct) <= MOST_GROUPS) and len(distinct) > BINS:
        distinct = ordered[(np.arange(BINS) * len(ordered)) // BINS]
    return np.asarray(np.clip(np.searchsorted(distinct, values, side="right") - 1, 0, None), dtype=np.int64)


def _shifted(target: Array, longest: int) -> list[Array]:
    """The target moved along by whole episodes and more, as often as chance is asked.

    A shift keeps the likeness of neighbouring steps, which shuffling would destroy.
    """
    rng = np.random.default_rng(0)
    length = len(target)
    least = min(longest, length // 3)
    return [np.roll(target, int(shift)) for shift in rng.integers(least, max(length - least, least + 1), SHIFTS)]


def _straight(numbers: Array, target: Array) -> float:
    """The largest correlation of a column with the target, both of spread 1."""
    return float(np.abs(numbers.T @ target / len(target)).max(initial=0.0))


def _between(groups: list[Ints], target: Array) -> float:
    shares = []
    for group in groups:
        sizes = np.maximum(np.bincount(group), 1)
        sums = np.bincount(group, weights=target)
        shares.append(float((sums**2 / sizes).sum()) / len(target))
    return max(shares)


def _together(survey: Survey, given: Pairs, name: str) -> float:
    """How much of a target all columns tell together with the action, which alone tells nothing of it any more."""
    first = slice(0, MOST_STEPS)
    half = halves(given.episodes[first])
    if half is None or survey.action is None:
        return 0.0
    acted = scaled(encoded(survey.action.columns, given.actions[first]))
    seen = scaled(encoded(survey.columns, given.columns[first]))[:, :MOST_FITTED]
    aim, known = _unit(given.targets[name][first])[:, None], np.concatenate([acted, seen], axis=1)
    return 1.0 - min(float(unexplained(known, aim, half)[0]), 1.0)
