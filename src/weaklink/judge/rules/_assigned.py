"""Rewards that belong to other rows: shifted by some rows, or in another order within their groups."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Ints, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import hash_columns, hash_draws

NEXT = 0.5
"""The correlation of rewards with the trusted scores of other rows, and twice that with their own, from which on
they belong to these."""
FURTHEST, PER_ROW = 64, 8
"""How many rows off rewards are looked for, as many as a batch; and how many rows a correlation at each needs, so that
0.5 is no chance at any of them."""
SORTED = 0.8
"""The correlation with the scores of the group in order of size from which on rewards were sorted: rewards that are
right mostly, in a file that is sorted by them, go with their own scores."""
DICE = 0.8
"""The share of the variance of rewards among equal texts from which on they are thrown by dice."""
SMALLEST = 3
"""Rows of a group whose order can be told from its reverse."""


def find_owner(rows: Samples, paid: Array, trusted: Array) -> tuple[str, str, float, float] | None:
    """Whose score rewards follow and how they are assigned, in words, with both correlations; None if their own."""
    own = correlate(paid, trusted)
    furthest = max(1, min(FURTHEST, len(paid) // PER_ROW))
    near, place = max(
        (correlate(paid[max(off, 0) : len(paid) + min(off, 0)], trusted[max(-off, 0) : len(paid) - max(off, 0)]), off)
        for off in range(-furthest, furthest + 1)
        if off
    )
    if (ordered := _compare_sorted(rows, paid, trusted)) is not None:
        return ordered
    mirrored, inside = _find_mirrors(rows)
    turned = correlate(paid[inside], trusted[mirrored[inside]]) if inside.sum() >= PER_ROW * SMALLEST else 0.0
    own_inside = correlate(paid[inside], trusted[inside]) if inside.any() else own
    # rewards that are the opposite of their own scores are inverted, whatever else they go with
    if turned >= max(NEXT, near) and abs(own_inside) <= turned / 2:
        return "the row at the other end of their group", "in reverse order within groups", turned, own_inside
    if near < NEXT or abs(own) > near / 2:
        return None
    side = "before" if place > 0 else "after"
    if abs(place) == 1:
        return f"the row {side} theirs", "one row off", near, own
    return f"the row {abs(place)} places {side} theirs", f"{abs(place)} rows off", near, own


def _compare_sorted(rows: Samples, paid: Array, trusted: Array) -> tuple[str, str, float, float] | None:
    """Rewards that go with the scores of their group in order of size, and far less with those of their own rows."""
    _, owner, sizes = np.unique(hash_draws(rows), return_inverse=True, return_counts=True)
    place = np.argsort(owner, kind="stable")
    given, rightly = (values - (np.bincount(owner, values) / sizes)[owner] for values in (paid, trusted))
    varied = (sizes >= SMALLEST) & (np.bincount(owner, rightly**2) > 0.0)
    inside = varied[owner[place]]
    if inside.sum() < PER_ROW * SMALLEST:
        return None
    own = correlate(given[place][inside], rightly[place][inside])
    for direction in (-1.0, 1.0):
        ordered = direction * rightly
        ordered = (direction * ordered[np.lexsort((ordered, owner))])[inside]
        near = correlate(given[place][inside], ordered)
        if near >= SORTED and abs(own) <= near / 2:
            return "their group in order of size", "in sorted order within groups", near, own
    return None


def _find_mirrors(rows: Samples) -> tuple[Ints, np.ndarray]:
    """For each row that at the same distance from the other end of its group; and which rows have another one."""
    draws = hash_draws(rows)
    order = np.argsort(draws, kind="stable")
    first = np.flatnonzero(np.r_[True, draws[order][1:] != draws[order][:-1]])
    sizes = np.diff(np.r_[first, len(order)])
    starts, counts = np.repeat(first, sizes), np.repeat(sizes, sizes)
    mirrored = np.empty(len(order), np.int64)
    mirrored[order] = order[2 * starts + counts - 1 - np.arange(len(order))]
    large = np.empty(len(order), bool)
    large[order] = counts >= SMALLEST
    return mirrored, large & (mirrored != np.arange(len(order)))


def correlate(first: Array, second: Array) -> float:
    """The correlation of two columns; 0 where one never changes."""
    return float(np.corrcoef(first, second)[0, 1]) if first.std() * second.std() > 0 else 0.0


def is_dice(rows: Samples) -> bool:
    """Whether most of the variance of rewards lies among rows of one prompt and one text: nothing seen decides them."""
    if "text" not in rows or "prompt" not in rows:
        return False
    reward = rows["reward"]
    _, owner, sizes = np.unique(
        hash_columns(rows.codes["prompt"], rows.codes["text"]), return_inverse=True, return_counts=True
    )
    again = sizes[owner] > 1
    left = reward - (np.bincount(owner, reward) / sizes)[owner]
    freedom = int((sizes - 1).sum())
    return freedom >= PER_ROW * SMALLEST and float((left[again] ** 2).sum()) / freedom > DICE * float(reward.var())
