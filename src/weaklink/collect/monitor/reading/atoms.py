"""A categorical value distribution: the discount and the rewards that make the targets of its atoms.

Counted in atoms, a target is the distribution of the next action, stretched by gamma around the middle and moved by
`slope * reward + offset`; what lies beyond the first or the last atom is put there, and what lies between two is split.
So neither the support nor its bounds need be known. The gradient at the atoms of a row is `weight * (p - target)`.
Where that fits nothing, a wrong way of splitting is tried: all of it given to the lower.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.rollout import Array

MOST_ROWS, FEW_ROWS = 256, 48
"""Rows with which the three numbers are searched for, and those that tell at first sight how close a search comes."""

AT_FIRST, HOPELESS = 5, 0.25
"""How often the steps are made half as large at first sight, and what must be left then for a search to be given up."""

GAMMAS = (0.99, 0.95, 0.9, 0.999)
"""Discounts from which the search begins."""

HALVINGS, ROUNDS = 14, 8
"""How often the steps of the search are made half as large, and rounds with steps of one size."""

EXACTLY = 1e-3
"""What is left of the gradients where the search may end."""

OUTSIDE = 0.1
"""How far beyond the outermost atom a number must lie, in atoms, to be none that the support was made for."""

ALONE = 0.02
"""What a target of a single number may have elsewhere than at the two atoms around it."""


LOWER_ALONE = "all of it given to the lower atom"
"""How what lies between two atoms is split where that is wrong."""

ON_ATOM = 1e-4
"""How close below an atom a number is on it."""


@dataclass(frozen=True, slots=True)
class AtomTargets:
    """How targets are made of rewards and next distributions; `split` names a wrong way of splitting."""

    gamma: float
    slope: float
    offset: float
    split: str = ""

    def move(self, rewards: Array, count: int) -> Array:
        """(n, atoms) where each of so many atoms is moved to, counted in atoms."""
        middle = (count - 1) / 2
        moved = (self.slope * rewards + self.offset)[:, None]
        return np.asarray(self.gamma * (np.arange(count) - middle) + middle + moved)

    def measure_beyond(self, rewards: Array, following: Array) -> float:
        """The share of the targets that lies beyond the first or the last atom, and is put there."""
        places, last = self.move(rewards, following.shape[1]), following.shape[1] - 1.0
        return float(np.mean(np.sum(following * ((places < -OUTSIDE) | (places > last + OUTSIDE)), axis=1)))

    def project(self, rewards: Array, following: Array) -> Array:
        """(n, atoms) the targets of rows with these rewards, (n,), and next distributions, (n, atoms)."""
        count = following.shape[1]
        places = np.clip(self.move(rewards, count), 0.0, count - 1.0)
        lower = np.minimum(places.astype(np.int64), count - 2)
        upper = self._share(places - lower)
        first = np.arange(len(rewards))[:, None] * count + lower
        made = np.bincount(first.ravel(), (following * (1.0 - upper)).ravel(), following.size)
        made += np.bincount(first.ravel() + 1, (following * upper).ravel(), following.size)
        return np.asarray(made.reshape(following.shape))

    def _share(self, upper: Array) -> Array:
        """The share of the upper atom."""
        return np.floor(upper + ON_ATOM) if self.split == LOWER_ALONE else upper


@dataclass(frozen=True, slots=True, eq=False)
class AtomRows:
    """Rows of a categorical head at the action that is moved.

    Attributes:
        chances: (n, atoms) what the head says.
        asked: (n, atoms) the gradient at its logits, times the rows of its minibatch.
        rewards: (n,) of the row's step.
        following: (n, atoms) the distribution of the next action.
    """

    chances: Array
    asked: Array
    rewards: Array
    following: Array

    def take(self, kept: Array) -> AtomRows:
        """Some of the rows."""
        return AtomRows(self.chances[kept], self.asked[kept], self.rewards[kept], self.following[kept])

    def measure_left(self, line: AtomTargets) -> Array:
        """(n,) what each row's gradient keeps beside these targets, as a share; a row may have a weight of its own."""
        pull = self.chances - line.project(self.rewards, self.following)
        weights = np.maximum((self.asked * pull).sum(axis=1), 0.0) / np.maximum((pull**2).sum(axis=1), 1e-30)
        left = ((self.asked - weights[:, None] * pull) ** 2).sum(axis=1)
        return np.asarray(np.sqrt(left / np.maximum((self.asked**2).sum(axis=1), 1e-30)))

    def weigh(self, line: AtomTargets) -> float:
        """The usual weight of a row."""
        pull = self.chances - line.project(self.rewards, self.following)
        return float(np.median((self.asked * pull).sum(axis=1) / np.maximum((pull**2).sum(axis=1), 1e-30)))


def fit_targets(rows: AtomRows, split: str = "") -> tuple[AtomTargets, float]:
    """The three numbers that fit the gradients best, and what they leave of the usual row's; with a wrong `split`."""
    few, fewer = (
        rows.take(np.unique(np.linspace(0, len(rows.rewards) - 1, count).astype(np.int64)))
        for count in (MOST_ROWS, FEW_ROWS)
    )
    line, least = AtomTargets(0.0, 0.0, 0.0), np.inf
    for begun in _list_beginnings(few):
        found, left = _refine(fewer, replace(begun, split=split), AT_FIRST)
        if left > HOPELESS:
            continue
        found, left = _refine(few, found)
        if left < least:
            line, least = found, left
        if least < EXACTLY:
            break
    return line, float(np.median(rows.measure_left(line)))


def _list_beginnings(rows: AtomRows) -> Iterator[AtomTargets]:
    """Where the search begins: the mean of a target is a line in reward, next mean and one, where nothing is clipped.

    With an unknown weight the gradient's own mean is a line in the row's mean as well.
    """
    count = rows.chances.shape[1]
    places = np.arange(count) - (count - 1) / 2
    own, ahead, pulled = rows.chances @ places, rows.following @ places, rows.asked @ places
    varied = float(np.ptp(rows.rewards)) > 0.0
    columns = [own, ahead, np.ones_like(own), *((rows.rewards,) if varied else ())]
    made = np.linalg.lstsq(np.stack(columns, axis=1), pulled, rcond=None)[0]
    weight = made[0]
    if weight > 0.0 and 0.0 < -made[1] / weight < 1.1:
        yield AtomTargets(-made[1] / weight, -made[3] / weight if varied else 0.0, -made[2] / weight)
    for gamma in GAMMAS:
        yield AtomTargets(gamma, 1.0 if varied else 0.0, 0.0 if varied else 1.0)


def _refine(rows: AtomRows, line: AtomTargets, halvings: int = HALVINGS) -> tuple[AtomTargets, float]:
    """The nearest numbers that fit best, one after the other with ever smaller steps."""
    varied = float(np.ptp(rows.rewards)) > 0.0
    sizes = {"gamma": 0.02, "offset": 1.0} | ({"slope": 1.0 / float(np.abs(rows.rewards).max())} if varied else {})
    best = float(np.mean(rows.measure_left(line)))
    for halving in range(halvings):
        for _ in range(ROUNDS):
            before = best
            for name, size in sizes.items():
                for step in (size * 0.5**halving, -size * 0.5**halving):
                    other = replace(line, **{name: getattr(line, name) + step})
                    left = float(np.mean(rows.measure_left(other)))
                    if left < best:
                        line, best = other, left
            if best >= before:
                break
    return line, best


def are_single(rows: AtomRows) -> Array:
    """(n,) whether a row's target is a single number, split between the two atoms around it.

    Everywhere else the gradient is the weight times what the head says, whatever the weight is.
    """
    told = rows.chances > 1e-4
    ratios = np.where(told, rows.asked / np.maximum(rows.chances, 1e-30), np.nan)
    weights = np.nanmedian(ratios, axis=1)
    targets = rows.chances - rows.asked / np.where(weights > 0.0, weights, np.inf)[:, None]
    pairs = targets[:, :-1] + targets[:, 1:]
    spread = np.abs(targets).sum(axis=1)
    return np.asarray((weights > 0.0) & (pairs.max(axis=1) > 1.0 - ALONE) & (spread < 1.0 + 2 * ALONE))
