"""Trials of single actions from made-up states, for rules on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.base.evidence.acting import ActionTrials

STATES = 20


def trials(
    step: Callable[[Any, Any], tuple[Any, float]],
    draw: Callable[[np.random.Generator], Any],
    *,
    dimensions: int = 1,
    low: float = -1.0,
    states: int = STATES,
    heeded: Any = (),
) -> ActionTrials:
    """Tries the ends of each dimension, and pairs of them exchanged, by a law: `step(state, action)` gives what is
    seen next and what is paid, `draw` a state."""
    rows = [np.zeros(dimensions)]
    for place in range(dimensions):
        for value in (low, 1.0):
            rows.append(np.zeros(dimensions))
            rows[-1][place] = value
    swaps = []
    for one in range(dimensions):
        for other in range(one + 1, dimensions):
            for first, second in ((1.0, low), (low, 1.0)):
                rows.append(np.zeros(dimensions))
                rows[-1][[one, other]] = first, second
            swaps.append((one, other, len(rows) - 2, len(rows) - 1))
    rng = np.random.default_rng(0)
    seen = np.array([draw(rng) for _ in range(states)], dtype=float)
    led = [[step(state.copy(), action) for action in rows] for state in seen]
    return ActionTrials(
        seen=seen,
        times=np.arange(states),
        actions=np.array(rows),
        rows=np.array([[row for row, _ in each] for each in led], dtype=float),
        rewards=np.array([[paid for _, paid in each] for each in led], dtype=float),
        swaps=tuple(swaps),
        heeded=np.asarray(heeded, dtype=bool),
    )
