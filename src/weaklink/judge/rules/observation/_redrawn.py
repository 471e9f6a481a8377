"""What is called a goal or a secret and is drawn anew at every step: nothing that was seen before says what it is."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import HeldState, Ints
from weaklink.base.evidence.series import Array
from weaklink.judge.rules.observation._association import measure_association

CALLED = re.compile(
    r"(^|[._])(goal|target|secret|answer|solution|destination|password|code)(_?(pos(ition)?|xy|cell|word|code))?$",
    re.IGNORECASE,
)

FEWEST_STEPS, LONGEST = 200, 64  # steps within episodes; numbers of a secret
RENEWED = 0.5  # of these steps, at which it is another one
UNRELATED = 5.0  # standard deviations of chance: what is followed or shown goes together by more
MOST_COLUMNS = 64


class RedrawnSecret(NamedTuple):
    """The attribute, the share of steps that draw it anew, and how clearly it goes together with what is seen."""

    name: str
    renewed: float
    associated: float


def find_redrawn(held: HeldState) -> RedrawnSecret | None:
    """An attribute with the name of a goal that steps draw without regard to what it was, and that nothing shows."""
    inside = np.ones(len(held.rewards), dtype=bool)
    inside[held.lasts] = False
    if int(inside.sum()) < FEWEST_STEPS or not np.isfinite(held.successors).all() or not np.ptp(held.rewards):
        return None
    for name, columns in held.attributes.items():
        if not CALLED.search(name) or len(columns) > LONGEST or not held.finite[columns].all():
            continue
        before, after = held.before[inside][:, columns], held.after[inside][:, columns]
        renewed = float(np.mean(np.any(before != after, axis=1)))
        if renewed < RENEWED or measure_association(before, after) > UNRELATED:
            continue
        seen = max(_measure_sight(rows[inside], after) for rows in (held.observations, held.successors))
        if seen < UNRELATED:
            return RedrawnSecret(name, renewed, seen)
    return None


def _measure_sight(rows: Array, values: Array) -> float:
    """How clearly what is seen goes together with the attribute: as a whole, and column by column."""
    moving: Ints = np.flatnonzero(np.ptp(rows, axis=0) > 0)
    chosen = [moving, *moving[:MOST_COLUMNS, None]] if len(moving) > 1 else [moving]
    return max((measure_association(rows[:, columns], values) for columns in chosen if len(columns)), default=0.0)
