"""A critic that the policy's loss moves as well, because the value in the advantage was not detached.

What arrives at a value is then `k * (value - target) + c * log-probability + d`. Where advantages are normalised, the
three numbers are others in every update, so each update is a line of its own. Its factors are bound to each other by
the discount, and the discount is one for all.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.lines import VISIBLE, measure_rounding, measure_spread

FEWEST_UPDATES, FEWEST_ROWS, ENOUGH_ROWS = 4, 18, 64
"""Updates that must tell the same, and rows of each of them: three for every factor of its line; and the rows with
which one update is enough."""

BOUND = 0.02
"""How far factors may lie from what the discount makes of each other: those of columns that hardly differ."""

FAR_ABOVE = 30.0
"""How many times what the line leaves the log-probability must move the value, to be more than rounding."""


def find_discount(columns: Array, updates: Array) -> tuple[float, float] | None:
    """The discount, and what the lines leave, of a critic that learns from the policy's loss too; None for others.

    Args:
        columns: (n, 7) of rows that another row follows: value less reward, gradient, that of the next row, value of
            the next row, log-probability of the action, that of the next row, ones.
        updates: (n,) the number of the update of each row.
    """
    known = np.isfinite(columns).all(axis=1)
    names, counts = np.unique(updates[known], return_counts=True)
    whole = names[counts >= FEWEST_ROWS]
    found = list(_fit_updates(columns[known], updates[known], whole))
    enough = len(whole) >= FEWEST_UPDATES or counts.max(initial=0) >= ENOUGH_ROWS
    if not found or not enough or len(found) < len(whole):
        return None
    gammas, left = np.array(found).T
    gamma = float(np.median(gammas))
    alike = np.abs(gammas - gamma).max() < BOUND and VISIBLE < gamma < 1.0 + VISIBLE
    return (gamma, float(left.max())) if alike else None


def _fit_updates(columns: Array, updates: Array, names: Array) -> Iterator[tuple[float, float]]:
    """The discount of each update whose line fits, and what it leaves."""
    for name in names:
        part = columns[updates == name]
        wanted, table = part[:, 0], part[:, 1:]
        scale = np.maximum(np.sqrt(np.mean(table**2, axis=0)), 1e-30)
        factors = np.linalg.lstsq(table / scale, wanted, rcond=1e-10)[0] / scale
        left = float(np.abs(wanted - table @ factors).max())
        asked, asked_after, gamma, likely, likely_after, _ = (float(each) for each in factors)
        bound = max(
            abs(asked_after + gamma * asked) / max(abs(asked), 1e-30),
            abs(likely_after + gamma * likely) / max(abs(likely), 1e-30),
        )
        moved = abs(likely) * measure_spread(part[:, 4]) > FAR_ABOVE * left
        if moved and bound < BOUND and left <= VISIBLE * measure_spread(wanted) + measure_rounding(table, wanted):
            yield gamma, left / max(measure_spread(wanted), 1e-30)
