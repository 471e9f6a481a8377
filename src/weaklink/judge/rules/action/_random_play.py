"""Whether random play shows an effect of a dimension of the action that a sweep missed.

A sweep holds the other dimensions, so it may never see what matters only together with one of them. Random actions do
not depend on each other or on anything else, so shuffling one dimension shows how large an effect chance alone makes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Ints, Survey

FEWEST_STEPS = 200
MOST_COLUMNS = 32
MOST_PARTNERS = 8
MOST_VALUES = 18
SHUFFLES = 20
MOST_STEPS = 5000
BEYOND_CHANCE = 1.25


def shows(survey: Survey, dimension: int, *, reward: bool = True) -> bool | None:
    """Whether the next observation, or the reward, depends on this dimension; None where there is too little play."""
    play = survey.plays.get(RANDOM)
    if play is None or play.observations is None or play.successors is None or play.actions is None:
        return None
    if play.kept < FEWEST_STEPS or dimension >= play.actions.shape[1]:
        return None
    steps = min(play.kept, MOST_STEPS)
    actions, rewards = play.actions[:steps], play.rewards[:steps] if reward else None
    outcomes = _outcomes(play.observations[:steps], play.successors[:steps], rewards)
    if not outcomes.shape[1]:
        return False
    rng = np.random.default_rng(0)
    own = _coded(actions[:, dimension])
    for partner in _partners(actions, dimension):
        chance = max(_share(rng.permutation(own), partner, outcomes) for _ in range(SHUFFLES))
        if _share(own, partner, outcomes) > BEYOND_CHANCE * chance:
            return True
    return False


def _outcomes(before: Array, after: Array, rewards: Array | None) -> Array:
    """What came of each step, every column with a spread of 1; columns that do not change are left out."""
    width = before.shape[1]
    places = np.linspace(0, width - 1, min(width, MOST_COLUMNS)).astype(int)
    with np.errstate(invalid="ignore", over="ignore"):
        changes = after[:, places] - before[:, places]
        together = changes if rewards is None else np.column_stack([changes, rewards])
        spread = together.std(axis=0)
        kept = np.isfinite(spread) & (spread > 0)
        return np.asarray((together[:, kept] - together[:, kept].mean(axis=0)) / spread[kept])


def _partners(actions: Array, dimension: int) -> Iterator[Ints]:
    """Nothing, then each of the other dimensions in turn, as what the effect may depend on."""
    yield np.zeros(len(actions), dtype=np.int64)
    others = [place for place in range(actions.shape[1]) if place != dimension]
    for place in others[:MOST_PARTNERS]:
        yield _coded(actions[:, place])


def _coded(values: Array) -> Ints:
    """Values as small whole numbers: themselves where they are few, else the sixth of the range by rank."""
    ordered = np.sort(values)
    distinct = ordered[np.concatenate([[True], np.diff(ordered) > 0])]
    if len(distinct) > MOST_VALUES:
        distinct = ordered[(np.arange(6) * len(ordered)) // 6]
    return np.asarray(np.clip(np.searchsorted(distinct, values, side="right") - 1, 0, None), dtype=np.int64)


def _share(own: Ints, partner: Ints, outcomes: Array) -> float:
    """The largest share of any outcome's variance that lies between groups of equal actions."""
    group = own + (int(own.max()) + 1) * partner
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(group[order]) > 0]))
    sizes = np.diff(np.append(starts, len(group)))[:, None]
    shares = []
    for values in (outcomes, outcomes**2 - 1.0):  # an effect on the level, or on the scatter
        sums = np.add.reduceat(values[order], starts, axis=0)
        shares.append((sums**2 / sizes).sum(axis=0) / np.maximum((values**2).sum(axis=0), 1e-300))
    return float(np.max(shares))
