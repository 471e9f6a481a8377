"""Small grids with several seeds: runs that differ in one setting and nothing else but the seed are set side by side.

Where everything else is equal, each seed is a witness of its own, and what parts the runs can only be that setting. So
a grid of four learning rates with ten seeds each tells, though it has no more than four configurations.
"""

from __future__ import annotations

from math import exp, lgamma

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.sweep import Sweep
from weaklink.judge.diagnosis.conditions import SettingSplits, make_splits

Counts = NDArray[np.int_]


class GridContrasts:
    """Every split of one setting, among groups of runs that are equal in all others."""

    def __init__(self, sweep: Sweep) -> None:
        self.splits: SettingSplits = make_splits(sweep, fewest=1)
        self._sizes = np.array([len(runs) for runs in sweep.members])
        self._groups = {place: _group_equal(sweep, place) for place in range(len(sweep.names))}
        self._places = [sweep.names.index(condition.setting) for condition in self.splits.conditions]
        self.usable = [one for one in range(len(self.splits)) if self._has_contrast(one)]

    def _has_contrast(self, split: int) -> bool:
        mask = self.splits.masks[split]
        return any(mask[group].any() and not mask[group].all() for group in self._groups[self._places[split]])

    def test(self, split: int, hits: Counts) -> tuple[float, tuple[int, int, int, int]]:
        """The chance of so many breaks on the one side of a split, and the four counts over all groups that it parts.

        Args:
            split: its place.
            hits: how many runs of each configuration broke.
        """
        mask, law = self.splits.masks[split], np.ones(1)
        counts = np.zeros(4, dtype=np.int_)
        for group in self._groups[self._places[split]]:
            inside, outside = group[mask[group]], group[~mask[group]]
            if not len(inside) or not len(outside):
                continue
            one = (hits[inside].sum(), self._sizes[inside].sum(), hits[outside].sum(), self._sizes[outside].sum())
            counts += np.array(one)
            law = np.convolve(law, _compute_law(int(one[1]), int(one[0] + one[2]), int(one[1] + one[3])))
        chance = float(min(1.0, law[int(counts[0]) :].sum()))
        return chance, (int(counts[0]), int(counts[1]), int(counts[2]), int(counts[3]))


def _group_equal(sweep: Sweep, place: int) -> list[NDArray[np.intp]]:
    """The configurations that are equal in every setting but one; groups of one tell nothing."""
    found: dict[tuple[object, ...], list[int]] = {}
    for number, values in enumerate(sweep.values):
        found.setdefault((*values[:place], *values[place + 1 :]), []).append(number)
    return [np.array(numbers) for numbers in found.values() if len(numbers) > 1]


def _compute_law(drawn: int, marked: int, total: int) -> NDArray[np.float64]:
    """The chance of each number of marked items among those drawn, from none on."""

    def log_choose(of: int, some: int) -> float:
        return lgamma(of + 1) - lgamma(some + 1) - lgamma(of - some + 1)

    whole = log_choose(total, drawn)
    return np.array(
        [
            exp(log_choose(marked, count) + log_choose(total - marked, drawn - count) - whole)
            if drawn - count <= total - marked
            else 0.0
            for count in range(min(drawn, marked) + 1)
        ]
    )
