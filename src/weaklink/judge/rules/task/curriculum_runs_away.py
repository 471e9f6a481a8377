from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SUCCESS = ("task.success_rate", "evaluation.success_rate")


@rule(
    "TSK302",
    link=Link.TASK,
    level=Level.WARN,
    needs=("task.difficulty", SUCCESS),
    leads_to=("REW301", "REW303", "REW304", "REW306", "EXP301", "EXP302", "VAL301", "VAL304", "POL307", "EVA304"),
)
def curriculum_runs_away(run: Run, *, lost: float = 0.6, good: float = 0.5) -> Answer:
    """The curriculum grows harder although the task is solved less and less.

    ## What it sees
    The difficulty goes on rising after success has fallen below six tenths of its best, and success, which had
    been a half or more, is still below that at the end.

    ## Why it is bad
    A curriculum helps where each stage can be learned. One that follows the clock leaves what can be reached behind,
    and what was learned is forgotten on episodes that nobody could solve.

    ## What to do
    1. Raise the difficulty only where success is above a bound (0.7 to 0.9), and lower it again below another.
    2. Keep a share of the earlier tasks.

    ## How to prove it
    Hold the difficulty at the last level that was solved: success must come back.

    ## When it is wrong
    A measure of difficulty that does not set the task, such as a mean over what was drawn.

    ## References
    Narvekar et al., Curriculum Learning for Reinforcement Learning Domains, 2020.
    """
    difficulty, success = run["task.difficulty"], run.get(*SUCCESS)
    assert success is not None
    if min(len(difficulty), len(success)) < 2 * FEWEST:
        return CannotTell((difficulty.name,), f"fewer than {2 * FEWEST} points")
    width = max(len(success) // 10, 3)
    levels = np.convolve(success.values, np.ones(width) / width, mode="valid")
    best, top = int(np.argmax(levels)), 100.0 if success.highs.max() > 1.5 else 1.0
    limit = lost * float(levels[best])
    below = np.flatnonzero(levels[best:] < limit)
    if levels[best] < good * top or not len(below) or levels[-1] >= limit:
        return None
    fell = float(success.steps[best + int(below[0]) + width - 1])
    later = difficulty.values[difficulty.steps >= fell]
    peak = float(success.steps[best + width - 1])
    at_best = level(difficulty.values[difficulty.steps <= peak][-width:])
    if len(later) < 2 or later[-1] <= later[0] or later[-1] <= at_best:
        return None
    return Finding(
        message=f"task.difficulty rises from {at_best:.3g} around step {peak:,.0f} to {later[-1]:.3g} while "
        f"{success.name} falls from {levels[best]:.3g} to {levels[-1]:.3g}, and still rose when success was "
        f"below {limit:.2g}, from step {fell:,.0f} on.",
        onset=peak,
        onset_within=success.interval * width,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=success.name, value=float(levels[-1]), limit=limit, step=fell),
            Evidence(metric=difficulty.name, value=float(later[-1]), limit=at_best, step=difficulty.last_step),
        ),
    )
