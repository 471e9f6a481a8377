from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.rules._hyperparameters import read_number
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

LIMITS = (
    "max_episode_steps",
    "max_episode_length",
    "time_limit",
    "episode_length",
    "horizon",
    "max_ep_len",
    "episode_steps",
)


@rule("TSK301", link=Link.TASK, level=Level.INFO, on=Run, needs=("task.episode_length",), leads_to=("REW301", "VAL304"))
def degenerate_episode_length(run: Run, *, share: float = 0.5) -> Answer:
    """Every episode has the same, unexpected length.

    ## What it sees
    For the last half of the log all episodes have the same length, and that is not a time limit: neither one from the
    configuration nor a round number such as 50, 200 or 1,000. Episodes that had other lengths before count only while
    the return does not improve.

    ## Why it is bad
    If every episode has exactly 7 steps, something ends them that does not depend on the actions: a reset that leaves a
    finished state, a counter that is off, a physics check that always fails. Or the policy has settled on one way to
    end them.

    ## What to do
    1. Play three episodes with random actions and three with none: do they have that length too?
    2. Print why the episode ended, terminated or truncated, at its last step.
    3. Check what reset restores, and that the step counter starts at 0.

    ## How to prove it
    Play random actions and one constant action: the episode lengths of the two must differ if the task can terminate.

    ## When it is wrong
    Tasks of a fixed number of steps (bandits, card games, control without early termination) are like this by design,
    and a solved maze always takes its shortest path. So this is never a warning.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    series = run["task.episode_length"]
    if len(series) < 10:
        return CannotTell(("task.episode_length",), "fewer than 10 points")
    length = float(series.values[-1])
    start = _find_constant(series, length)
    if start is None or len(series) - start < share * len(series):
        return None
    step = float(series.steps[start])
    if not _is_unexpected(run, series, length, start) or not _are_all_equal(run, step):
        return None
    since = "in the whole log" if start == 0 else f"from step {step:,.0f} on"
    return Finding(
        message=f"Every episode is {length:.0f} step{'' if length == 1 else 's'} long {since}, which is not a known "
        "time limit.",
        onset=step,
        onset_within=series.interval,
        confidence=MEDIUM if "task.episode_length_std" in run or "task.episode_length_max" in run else LOW,
        evidence=(Evidence(metric=series.name, value=length, step=step),),
    )


def _find_constant(series: Series, length: float) -> int | None:
    """Finds the index from which the series stays at its last value."""
    same = (np.abs(series.lows - length) < 1e-6) & (np.abs(series.highs - length) < 1e-6)
    others = np.flatnonzero(~same)
    if not len(others):
        return 0
    return int(others[-1]) + 1 if others[-1] + 1 < len(series) else None


def _is_unexpected(run: Run, series: Series, length: float, start: int) -> bool:
    """Whether a constant length is no time limit, and does not come with a return that improves."""
    if abs(length - round(length)) >= 1e-6 or _is_limit(run, series, round(length)):
        return False
    return start == 0 or (run.performance is not None and not run.performance.improved)


def _is_limit(run: Run, series: Series, length: int) -> bool:
    """Whether the length is a time limit: configured, the longest after a rise, or a round number as limits are."""
    limit = read_number(run.config, *LIMITS)
    round_number = length >= 50 and length % 10 == 0
    power_of_two = length >= 16 and length & (length - 1) == 0
    mark_goal = float(series.values[0]) < length >= float(series.highs.max())
    return limit == length or round_number or power_of_two or mark_goal


def _are_all_equal(run: Run, since: float) -> bool:
    """Whether no other metric of episode lengths shows a spread from this step on."""
    spread = run.get("task.episode_length_std")
    if spread is not None and np.any(spread.highs[spread.steps >= since] > 1e-6):
        return False
    low, high = run.get("task.episode_length_min"), run.get("task.episode_length_max")
    if low is None or high is None:
        return True
    shortest, longest = low.lows[low.steps >= since], high.highs[high.steps >= since]
    return not (len(shortest) and len(longest) and longest.max() - shortest.min() > 1e-6)
