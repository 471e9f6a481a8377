"""How stored rows are compared with what the environment returned."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array, Pairing

# A shift is named where it reproduces this share of the rows that can show it; resets account for the rest
ALMOST_ALL = 0.95

# fewer rows can match a wrong shift by chance
FEWEST_ROWS = 8

# relative; some eighty times the rounding of a 32-bit number, so that a few operations on the way do no harm
SAME = 1e-5

# squares of larger numbers overflow
TOO_LARGE = 1e100

ONE_INDEX = "Write observation, action, reward and done flag of a step with one index."


def read_grid(array: object, depth: int = 0) -> Array | None:
    """An array as (T, N), or (T, N, D) with `depth` 1; None where it is missing, too short or not finite numbers."""
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


def read_flags(array: object) -> Array | None:
    """Done read_flags as (T, N)."""
    made = read_grid(array)
    return None if made is None else made != 0.0


def match_rows(first: Array, second: Array) -> Array:
    """Which rows are equal up to 32-bit rounding, (T, N)."""
    same = np.abs(first - second) <= SAME * (1.0 + np.abs(second))
    return np.asarray(same.all(axis=2) if same.ndim == 3 else same)


def find_ends(pairing: Pairing) -> Array | None:
    """Where the environment ended an episode."""
    terminated, truncated = read_flags(pairing.given_terminated), read_flags(pairing.given_truncated)
    if terminated is None:
        return read_flags(pairing.ended)
    return terminated if truncated is None or truncated.shape != terminated.shape else terminated | truncated


def mix_axes(rows: Array) -> Array:
    """The rows with the time and environment axes mixed up, as a reshape in the wrong order does."""
    return np.ascontiguousarray(np.swapaxes(rows, 0, 1)).reshape(rows.shape)


def measure_share(same: Array, informative: Array) -> float:
    """The share of matching rows among those that can show a difference; 0 where there are too few."""
    return float(same[informative].mean()) if informative.sum() >= FEWEST_ROWS else 0.0


def is_same_scale(stored: Array, given: Array) -> bool:
    """Whether stored numbers are the given ones scaled, clipped or squashed on purpose.

    One monotonic function of all rows is on purpose. So is a running normaliser: a factor that hardly changes from
    step to step, or that all environments share.
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
    return _is_steady(factors)


def _is_steady(factors: Array) -> bool:
    """Whether a log factor is common to all environments (to 0.1 %), or changes slowly in each (1 % a step)."""
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
