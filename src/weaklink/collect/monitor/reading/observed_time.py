"""Time limits that the agent sees coming: then what follows them is nothing, and a target may stop there.

An observation that counts the steps makes the limit a part of the task (Pardo et al., Time limits in reinforcement
learning, 2018).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.update import Tape

EVENLY = 1e-3
"""How much a count of steps may differ from one step to the next, as a share: it may be divided by the limit."""

FEWEST = 2
"""Time limits that must come at the same count."""


def end_at_seen_limits(tape: Tape) -> Tape | None:
    """The tape with time limits as ends, where a column of observations tells of them; None where none does."""
    cut = np.asarray(tape.truncated & tape.known & ~tape.terminated, bool)
    if tape.observations.ndim != 2 or cut.sum() < FEWEST:
        return None
    steps = np.asarray(tape.known & ~tape.fillers, bool)
    moved = np.asarray(tape.next_observations - tape.observations, np.float64)[steps]
    usual = np.median(moved, axis=0)
    even = np.all(np.abs(moved - usual) <= EVENLY * np.abs(usual), axis=0) & (usual != 0.0)
    reached = np.asarray(tape.next_observations, np.float64)[cut]
    same = np.all(np.abs(reached - reached[0]) <= np.abs(usual) / 2, axis=0)
    if not np.any(even & same):
        return None
    return replace(tape, terminated=np.asarray(tape.terminated | cut), truncated=np.asarray(tape.truncated & ~cut))
