from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import mann_kendall, theil_sen
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._faults import fault_finding, told_once

MEGABYTE = 1e6
WARM_UP = 0.2
MONOTONE = 0.8
BYTES_NOTED = 300
"""What the survey itself keeps of a step and of each number of its info, besides the observations: a generous guess."""


@rule(
    "ENV113",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=(("memory", "faults"),),
    leads_to=("ENV111", "SYS301"),
)
def memory_leak(survey: Survey, *, megabytes: float = 20.0, fewest: int = 6) -> Answer:
    """The environment takes more and more memory.

    ## What it sees
    The memory of the process while random play goes on. After the first fifth it still grows by more than 20 MB beyond
    what the survey itself keeps, from nearly every look to the next, as much in the later half as in the earlier. Or
    the environment ran out of memory altogether.

    ## Why it is bad
    What grows by a thousand bytes a step takes ten gigabytes in ten million steps, times the number of workers. The
    training dies overnight, or the machine begins to swap and all becomes slow.

    ## What to do
    1. Look for lists that only grow: histories, rendered frames, logs of infos; empty them in `reset`.
    2. Close what is opened: figures, windows, files, simulator worlds.
    3. Find the line with `tracemalloc`: compare snapshots some thousand steps apart.

    ## How to prove it
    `weaklink preflight ENV --steps 100000 --select ENV113`: the growth must stop. By hand: step a bare environment
    without any trainer and watch the memory of the process.

    ## When it is wrong
    A cache that has a bound, and maps or scenes that are loaded as they are met, grow too, for a while.

    ## References
    openai/gym issue #2155; NLE issue #337; osim-rl issue #10; poke-env pull request #766.
    """
    faults = [fault for fault in survey.faults if fault.kind == "memory"]
    if faults:
        found = tuple(fault_finding(fault, "ran out of memory") for fault in told_once(faults, 3))
        return found[0] if len(found) == 1 else found
    points = np.array(survey.memory, dtype=np.float64).reshape(-1, 2)
    points = points[np.isfinite(points).all(axis=1)]
    steps, used = points[int(WARM_UP * len(points)) :].T
    if len(used) < fewest or steps[-1] <= steps[0]:
        return CannotTell(("memory",), f"fewer than {fewest} looks at the memory")
    grown = float(used[-1] - used[0])
    limit = megabytes * MEGABYTE + _own(survey)
    if grown <= limit or not _keeps_growing(used):
        return None
    slope = theil_sen(used, steps)[0]
    return Finding(
        message=f"Memory grows by {grown / MEGABYTE:,.0f} MB from step {steps[0]:,.0f} to {steps[-1]:,.0f} and does "
        f"not level out: {slope:,.0f} bytes a step, or {slope / 100:,.1f} GB in ten million steps.",
        confidence=HIGH if len(used) >= 2 * fewest else MEDIUM,
        evidence=(Evidence(metric="memory_growth", value=grown, limit=limit, step=float(steps[-1])),),
    )


def _keeps_growing(used: Array) -> bool:
    """From nearly every look to the next, not in one jump, and as much in the later half as in the earlier."""
    jumps, half = np.diff(used), len(used) // 2
    earlier, later = float(used[half] - used[0]), float(used[-1] - used[half])
    steady = float(jumps.max()) <= 0.5 * float(used[-1] - used[0])
    return steady and later >= 0.5 * earlier and mann_kendall(used)[0] >= MONOTONE


def _own(survey: Survey) -> float:
    """Bytes that the survey itself may have taken while it watched."""
    play = survey.plays.get(RANDOM)
    if play is None:
        return 0.0
    arrays = (play.observations, play.successors, play.actions)
    noted = len(play.rewards) * BYTES_NOTED * (1 + len(play.components) + len(play.metrics))
    return float(sum(array.nbytes for array in arrays if array is not None) + noted)
