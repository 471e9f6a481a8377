"""Windows of several steps on a tape."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import Tape
from weaklink.collect.monitor.reading.tape_rows import find_cuts

MOST_STEPS = 20
"""Steps of the longest window that is looked for."""


def list_windows(tape: Tape, steps: int, *, through: bool = False) -> Array:
    """(steps, rows) the rows of each window; behind the end of an episode its last row again, unless they run through.

    A window that runs through ends is cut by the end of the tape alone.
    """
    last = np.asarray(tape.terminated | tape.truncated, bool) | find_cuts(tape)
    if through:
        last = np.arange(tape.rows) >= tape.rows - tape.members
    rows = [np.arange(tape.rows)]
    for _ in range(steps - 1):
        before = rows[-1]
        rows.append(np.where(last[before], before, np.minimum(before + tape.members, tape.rows - 1)))
    return np.stack(rows)
