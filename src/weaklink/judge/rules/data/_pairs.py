"""What was stored beside what the environment gave, row by row."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array, Pairing

ALMOST_ALL = 0.95
FEWEST_ROWS = 8
SAME = 1e-5
TOO_LARGE = 1e100


def grid(array: object, depth: int = 0) -> Array | None:
    """An array as (T, N), or (T, N, D) with `depth` 1; None where it is missing, too short or holds no numbers."""
    if array is None:
        return None
    try:
        whole = np.asarray(array, np.float64)
    except (TypeError, ValueError):
        return None
    if whole.ndim < 1 or len(whole) < FEWEST_ROWS or not whole.size or not np.isfinite(whole).all():
        return None
    if float(np.abs(whole).max()) > TOO_LARGE:
        return None
    if depth == 0:
        return whole.reshape(len(whole), -1)
    if whole.ndim < 3:
        whole = whole.reshape(len(whole), 1, -1)
    return whole.reshape(*whole.shape[:2], -1)


def flags(array: object) -> Array | None:
    """Ends as (T, N)."""
    made = grid(array)
    return None if made is None else made != 0.0


def rows_equal(first: Array, second: Array) -> Array:
    """Which rows are the same up to 32-bit rounding, (T, N)."""
    same = np.abs(first - second) <= SAME * (1.0 + np.abs(second))
    return np.asarray(same.all(axis=2) if same.ndim == 3 else same)


def endings(pairing: Pairing) -> Array | None:
    """Where an episode ended, as the environment said."""
    terminated, truncated = flags(pairing.given_terminated), flags(pairing.given_truncated)
    if terminated is None:
        return flags(pairing.ended)
    return terminated if truncated is None or truncated.shape != terminated.shape else terminated | truncated


def mixed(rows: Array) -> Array:
    """The same rows with time and environments mixed up, as a reshape in the wrong order does."""
    return np.ascontiguousarray(np.swapaxes(rows, 0, 1)).reshape(rows.shape)


def share_of(same: Array, informative: Array) -> float:
    """In which share of the rows that can show it; none where hardly any can."""
    return float(same[informative].mean()) if informative.sum() >= FEWEST_ROWS else 0.0


def is_same_scale(stored: Array, given: Array) -> bool:
    """Whether stored numbers are the given ones scaled, clipped or squashed on purpose.

    One rising function for all rows is on purpose; so is a factor that hardly changes from step to step, or that all
    environments share: a running normaliser.
    """
    order = np.lexsort((stored.ravel(), given.ravel()))
    sorted_stored, sorted_given = stored.ravel()[order], given.ravel()[order]
    rises, grows = np.diff(sorted_stored), np.diff(sorted_given)
    slack = SAME * (1.0 + float(np.abs(stored).max()))
    if bool(np.all(rises >= -slack)) and not np.any((grows == 0) & (rises > slack)):
        return True
    some = given != 0.0
    if np.any(np.abs(stored[~some]) > slack) or np.any(stored[some] * given[some] < 0) or some.sum() < FEWEST_ROWS:
        return False
    factors = np.full(given.shape, np.nan)
    ratio = np.abs(stored[some] / given[some])
    factors[some] = np.log(np.maximum(ratio, 1e-300))
    return _steady(factors)


def _steady(factors: Array) -> bool:
    """Whether a factor is common to all environments, or moves slowly in each."""
    known = np.isfinite(factors)
    several = known.sum(axis=1) > 1
    if several.sum() >= FEWEST_ROWS:
        rows = np.where(known, factors, np.nan)[several]
        if float(np.median(np.nanmax(rows, axis=1) - np.nanmin(rows, axis=1))) < 1e-3:
            return True
    late = factors[len(factors) // 2 :]
    moves = np.abs(np.diff(late, axis=0))
    moves = moves[np.isfinite(moves)]
    return moves.size >= FEWEST_ROWS // 2 and float(np.median(moves)) < 0.01
