"""Whether random play shows an effect of an action dimension that a sweep missed.

A sweep fixes the other dimensions, so it misses effects that need one of them. Random actions are independent of each
other and of the state, so shuffling one dimension shows how large an effect is by chance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Ints, Survey

# about ten steps for each of the groups that two dimensions make; with fewer, chance hides every effect
FEWEST_STEPS = 200

# observation columns, other dimensions and steps that are looked at: what keeps one dimension below a second
MOST_COLUMNS = 32
MOST_PARTNERS = 8
MOST_STEPS = 5000

MOST_VALUES = 18  # a dimension of more values is binned into sixths; Atari's largest action set has 18

# the effect must be a quarter larger than in each of twenty shuffles: one in twenty would exceed them by chance
SHUFFLES = 20
BEYOND_CHANCE = 1.25


def shows_effect(survey: Survey, dimension: int, *, reward: bool = True) -> bool | None:
    """Whether the next observation or the reward depends on this dimension; None where there is too little play."""
    play = survey.plays.get(RANDOM)
    if play is None or play.observations is None or play.successors is None or play.actions is None:
        return None
    if play.kept < FEWEST_STEPS or dimension >= play.actions.shape[1]:
        return None
    steps = min(play.kept, MOST_STEPS)
    actions, rewards = play.actions[:steps], play.rewards[:steps] if reward else None
    outcomes = _standardise_outcomes(play.observations[:steps], play.successors[:steps], rewards)
    if not outcomes.shape[1]:
        return False
    rng = np.random.default_rng(0)
    own = _number_values(actions[:, dimension])
    for partner in _list_partners(actions, dimension):
        chance = max(_measure_share(rng.permutation(own), partner, outcomes) for _ in range(SHUFFLES))
        if _measure_share(own, partner, outcomes) > BEYOND_CHANCE * chance:
            return True
    return False


def _standardise_outcomes(before: Array, after: Array, rewards: Array | None) -> Array:
    """The changes and rewards of each step, standardised; constant columns are left out."""
    width = before.shape[1]
    places = np.linspace(0, width - 1, min(width, MOST_COLUMNS)).astype(int)
    with np.errstate(invalid="ignore", over="ignore"):
        changes = after[:, places] - before[:, places]
        together = changes if rewards is None else np.column_stack([changes, rewards])
        spread = together.std(axis=0)
        kept = np.isfinite(spread) & (spread > 0)
        return np.asarray((together[:, kept] - together[:, kept].mean(axis=0)) / spread[kept])


def _list_partners(actions: Array, dimension: int) -> Iterator[Ints]:
    """Yields no partner, then each other dimension in turn: the effect may depend on it."""
    yield np.zeros(len(actions), dtype=np.int64)
    others = [place for place in range(actions.shape[1]) if place != dimension]
    for place in others[:MOST_PARTNERS]:
        yield _number_values(actions[:, place])


def _number_values(values: Array) -> Ints:
    """Values as small integers: one for each value where they are few, else the sixth that they belong to by rank."""
    ordered = np.sort(values)
    distinct = ordered[np.concatenate([[True], np.diff(ordered) > 0])]
    if len(distinct) > MOST_VALUES:
        distinct = ordered[(np.arange(6) * len(ordered)) // 6]
    return np.asarray(np.clip(np.searchsorted(distinct, values, side="right") - 1, 0, None), dtype=np.int64)


def _measure_share(own: Ints, partner: Ints, outcomes: Array) -> float:
    """The largest share of any outcome's variance that lies between groups of equal actions."""
    group = own + (int(own.max()) + 1) * partner
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(group[order]) > 0]))
    sizes = np.diff(np.append(starts, len(group)))[:, None]
    shares = []
    for values in (outcomes, outcomes**2 - 1.0):  # an effect on the mean, or on the variance
        sums = np.add.reduceat(values[order], starts, axis=0)
        shares.append((sums**2 / sizes).sum(axis=0) / np.maximum((values**2).sum(axis=0), 1e-300))
    return float(np.max(shares))
