from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.stats import mann_kendall, theil_sen
from weaklink.judge.rules.environment._faults import report_faults
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MEGABYTE = 1e6
WARM_UP = 0.2  # imports, caches and the first episodes take memory once; a fifth of the steps covers them

MONOTONE = 0.8  # Kendall's tau against time: 1 for a rise at every measurement, about 0 where memory levels out

# what the survey itself stores of a step and of each number of its info, besides observations: a generous guess
BYTES_NOTED = 300


@rule(
    "ENV113",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=(("memory", "faults"),),
    leads_to=("ENV111", "SYS301"),
)
def memory_leak(survey: Survey, *, megabytes: float = 20.0, fewest: int = 6) -> Answer:
    """The environment uses more and more memory.

    ## What it sees
    The memory of the process during random play. After the first fifth of the steps it still grows by more than 20 MB
    beyond what the survey itself stores, from nearly every measurement to the next, and as much in the second half as
    in the first. Or the environment ran out of memory.

    ## Why it is bad
    A leak of a thousand bytes a step takes ten gigabytes in ten million steps, times the number of workers. The
    training dies overnight, or the machine starts to swap and everything slows down.

    ## What to do
    1. Look for lists that only grow: histories, rendered frames, logs of infos; empty them in `reset`.
    2. Close what is opened: figures, windows, files, simulator worlds.
    3. Find the line with `tracemalloc`: compare snapshots a few thousand steps apart.

    ## How to prove it
    `weaklink preflight ENV --steps 100000 --select ENV113`: the growth must stop. By hand: step the bare environment
    without a trainer and watch the memory of the process.

    ## When it is wrong
    A bounded cache, and maps or scenes that are loaded on demand, grow for a while too.

    ## References
    openai/gym issue #2155; NLE issue #337; osim-rl issue #10; poke-env pull request #766.
    """
    faults = [fault for fault in survey.faults if fault.kind == "memory"]
    if faults:
        return report_faults(survey, faults, {"memory": "ran out of memory"}, most=3)
    points = np.array(survey.memory, dtype=np.float64).reshape(-1, 2)
    points = points[np.isfinite(points).all(axis=1)]
    steps, used = points[int(WARM_UP * len(points)) :].T
    if len(used) < fewest or steps[-1] <= steps[0]:
        return CannotTell(("memory",), f"fewer than {fewest} measurements of the memory")
    grown = float(used[-1] - used[0])
    limit = megabytes * MEGABYTE + _estimate_own_bytes(survey)
    if grown <= limit or not _keeps_growing(used):
        return None
    slope = theil_sen(used, steps)[0]
    return Finding(
        message=f"Memory grows by {grown / MEGABYTE:,.0f} MB from step {steps[0]:,.0f} to step {steps[-1]:,.0f} and "
        f"does not level off: {slope:,.0f} bytes a step, or {slope / 100:,.1f} GB in ten million steps.",
        confidence=HIGH if len(used) >= 2 * fewest else MEDIUM,
        evidence=(Evidence(metric="memory_growth", value=grown, limit=limit, step=float(steps[-1])),),
    )


def _keeps_growing(used: Array) -> bool:
    """Whether it grows at nearly every measurement, not in one jump, and at least half as fast in the later half."""
    jumps, half = np.diff(used), len(used) // 2
    earlier, later = float(used[half] - used[0]), float(used[-1] - used[half])
    steady = float(jumps.max()) <= 0.5 * float(used[-1] - used[0])
    return steady and later >= 0.5 * earlier and mann_kendall(used)[0] >= MONOTONE


def _estimate_own_bytes(survey: Survey) -> float:
    """Estimates the bytes that the survey itself stored meanwhile."""
    play = survey.plays.get(RANDOM)
    if play is None:
        return 0.0
    arrays = (play.observations, play.successors, play.actions)
    noted = len(play.rewards) * BYTES_NOTED * (1 + len(play.components) + len(play.metrics))
    return float(sum(array.nbytes for array in arrays if array is not None) + noted)
