"""Actions that are stored and were not the ones that the environment was given, from some step on.

Before it, as while actions are drawn at random at the start, the stored ones are those of the tape, in whatever units;
behind it they are others: the policy was asked anew, or noise was added on one side alone.
"""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.flaw_kinds import DRAWN_ANEW
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.lines import fit_column_lines

FEWEST = 24
"""Rows on either side of that step; the units are told by so many of the first."""

CLOSE = 1e-5
"""How far an action may lie from the one that was taken once it was scaled in single precision, as a share of its
range."""

NEARLY_ALL = 0.98
"""The share of rows that must be as those beside them."""


def find_drawn_anew(head: str, rows: Array, given: Array, real: Array) -> RecoveredFlaw | None:
    """The flaw of a critic that is given other actions than those that were taken, from some step on.

    Args:
        head: of the critic.
        rows: (n,) on the tape.
        given: (n, d) the actions that it is given.
        real: (n, d) those of its rows.
    """
    order = np.argsort(rows, kind="stable")
    rows, given, real = rows[order], given[order], real[order]
    if len(rows) < 2 * FEWEST:
        return None
    follow = _follow(given, real)
    if follow is None or follow.all():
        return None
    first = int(np.argmin(follow))
    later = rows >= rows[first]
    if min(first, later.sum()) < FEWEST or float(np.mean(~follow[later])) < NEARLY_ALL:
        return None
    return RecoveredFlaw(kind=DRAWN_ANEW, head=head, count=int(later.sum()), of=len(rows), number=float(rows[first]))


def _follow(given: Array, real: Array) -> Array | None:
    """(n,) whether actions are those that were taken, in the units that the first of them show; None where these show
    none. An action at its bound may have been clipped after it was stored."""
    lines = fit_column_lines(real[:FEWEST], given[:FEWEST])
    if not np.all(np.isfinite(lines.scales)) or np.any(lines.scales <= 0.0):
        return None
    made = lines.scales * real + lines.offsets
    close = CLOSE * (np.ptp(made, axis=0) + np.abs(lines.offsets)) + 1e-12
    if np.any(np.abs(made - given)[:FEWEST] > close):
        return None
    clipped = (real == real.max(axis=0)) & (given > made) | (real == real.min(axis=0)) & (given < made)
    return np.asarray(np.all((np.abs(made - given) <= close) | clipped, axis=1))
