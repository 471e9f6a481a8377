"""A column that shows an attribute folded: two values of it look the same, as two angles do of which the sine is seen.

What is hidden as a whole may be hidden on purpose. What is shown folded was meant to be seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import Flags, HeldState
from weaklink.base.evidence.series import Array

FEWEST_STEPS, FEWEST_EPISODES = 500, 8
MEASURED = 100  # different values of a number: fewer are codes
WIDEST = 12  # columns and dimensions of the action above which no state has a neighbour

SMOOTH, NEARLY_ALL = 0.1, 0.99  # of a column's range, from one value of the attribute to the next, nearly everywhere
EACH_WAY = 0.2  # of its range, by which the column rises and falls again along the attribute
AROUND = 0.01  # of all values, on either side, between which it is seen whether the column rises
LEVEL = 0.005  # of its range: between two that differ by less it has no direction

LOOKED_AT = 600  # states whose neighbours are looked for


class FoldedAttribute(NamedTuple):
    """A column, the attribute that it folds, and what is left open of the reward without and with the side known."""

    column: int
    attribute: int
    left_open: float
    known: float


def find_fold(held: HeldState, left_open: float, closed: float) -> FoldedAttribute | None:
    """A fold of which neither the other columns nor the action tell the sides apart, though the reward differs."""
    rows = np.concatenate([held.observations, held.actions], axis=1)
    fit = np.isfinite(rows).all() and np.isfinite(held.rewards).all() and float(held.rewards.std()) > 0.0
    if len(rows) < FEWEST_STEPS or len(held.lengths) < FEWEST_EPISODES or rows.shape[1] > WIDEST or not fit:
        return None
    near = _Neighbours(rows, np.repeat(np.arange(len(held.lengths)), held.lengths), held.rewards)
    for attribute in np.flatnonzero(held.finite).tolist():
        for column in range(held.observations.shape[1]):
            side = _find_sides(held.before[:, attribute], held.observations[:, column])
            if side is None or near.measure_open(None) < left_open:
                continue
            known = near.measure_open(side)
            if known <= closed * near.measure_open(None):
                return FoldedAttribute(column, attribute, near.measure_open(None), known)
    return None


def _find_sides(values: Array, shown: Array) -> Array | None:
    """Whether a column rises (1) or falls (-1) with an attribute that it follows; None unless it does both."""
    if min(len(np.unique(values)), len(np.unique(shown))) < MEASURED:
        return None
    order = np.argsort(values, kind="stable")
    along, reach = shown[order], float(np.ptp(shown))
    steps = np.diff(along)
    if float(np.quantile(np.abs(steps), NEARLY_ALL)) > SMOOTH * reach:
        return None
    if min(float(steps[steps > 0].sum()), float(-steps[steps < 0].sum())) < EACH_WAY * reach:
        return None
    places, around = np.arange(len(along)), int(np.ceil(AROUND * len(along)))
    rise = along[np.minimum(places + around, len(along) - 1)] - along[np.maximum(places - around, 0)]
    sides = np.empty(len(along))
    sides[order] = np.where(np.abs(rise) < LEVEL * reach, 0.0, np.sign(rise))
    return sides


class _Neighbours:
    """States that look alike, in different episodes: within one, the next state is on the same side."""

    def __init__(self, rows: Array, episodes: Array, rewards: Array) -> None:
        spread = rows.std(axis=0)
        self._rows = rows[:, spread > 0] / spread[spread > 0]
        # by rank: one or two prizes among a thousand small costs would be all of the variance
        self._episodes, self._rewards = episodes, np.unique(rewards, return_inverse=True)[1].astype(float)
        self._places = np.linspace(0, len(rows) - 1, min(LOOKED_AT, len(rows))).astype(int)
        self._open: float | None = None

    def measure_open(self, side: Array | None) -> float:
        """The share of the variance of the reward that the nearest state leaves open, the nearest on its side."""
        if side is not None:
            return self._measure(side, side != 0.0)
        if self._open is None:
            self._open = self._measure(np.zeros(len(self._rows)), np.ones(len(self._rows), dtype=bool))
        return self._open

    def _measure(self, side: Array, usable: Flags) -> float:
        gaps = []
        for place in self._places[usable[self._places]].tolist():
            others = np.flatnonzero((self._episodes != self._episodes[place]) & (side == side[place]))
            if len(others):
                away = np.square(self._rows[others] - self._rows[place]).sum(axis=1)
                gaps.append(float(self._rewards[others[int(np.argmin(away))]] - self._rewards[place]))
        return float(np.mean(np.square(gaps))) / (2.0 * float(self._rewards.var())) if gaps else 1.0
