from __future__ import annotations

import numpy as np

from weaklink.base.evidence.known_tasks import find_time_limit
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, start_of
from weaklink.judge.rules._lengths import find_sudden_end
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of the points: here and there an episode ends before the limit
NEARLY_ALL = 0.9

# episodes or means of them: what comes first, and lengths that are all one number and so have no noise
FIRST, FEWEST_EQUAL = 20, 8

# rows that say how often episodes succeed, and the part of it below which success is lost
LAST, HALF = 5, 0.5

# steps: an episode of one step has no course, one of ten at random play has
AT_ONCE, LASTED = 2.0, 10.0

# steps: a limit that leaves hardly a policy the time to fail; and of a step, or of its pay, what rounding leaves
SHORT, ROUNDED = 50.0, 0.02


@rule(
    "ENV302",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    needs=("task.episode_length",),
    leads_to=("TSK301", "VAL301", "VAL304", "EXP303", "REW301", "REW302", "REW304", "REW305", "EVA303"),
    symptoms={"reward flat": 14, "high reward, bad behaviour": 9},
)
def cut_short(run: Run, *, share: float = 0.5) -> Answer:
    """Episodes end far before the task does.

    ## What it sees
    Nearly all episodes of a task whose time limit is known have one and the same length, less than half of that limit,
    and the return does not improve. Or, of any task, nearly all episodes have one length below 50 steps in the last two
    thirds of the log, a few earlier ones are shorter, and each step pays the same, above 0. Or episodes that lasted ten
    steps and more at the start are over after a step at the end. Or within two rows episodes come to last less than a
    fifth, ten steps at most, and are alike to a tenth from then on, while success is lost and they are paid no better:
    no policy changes so in an update.

    ## Why it is bad
    What is cut off is never seen: nothing beyond it can be learned, and the return is bounded by it. Where episodes are
    over at once, they begin where they should end, or the agent has found a way out.

    ## What to do
    1. Look for a second time limit: `max_episode_steps` of `gymnasium.make`, a wrapper, a counter that is not reset.
    2. Print why and where the last episodes ended, and what `reset` gives after them: it must draw a new start.

    ## How to prove it
    Play ten episodes with random actions in a fresh environment: their lengths must differ, and begin at different
    states.

    ## When it is wrong
    A time limit that was lowered on purpose. Tasks that a learned policy solves within a step from every start.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018.
    """
    series = run["task.episode_length"]
    if len(series) < FEWEST and (len(series) < FEWEST_EQUAL or float(series.values.std()) > 0):
        return CannotTell((series.name,), f"fewer than {FEWEST} points")
    start, end = start_of(series.values[: FIRST * 10]), level(series.values[-max(len(series) // 5, 3) :])
    if start >= LASTED and end < AT_ONCE:
        told = f"Episodes lasted {start:.3g} steps at the start and are over after {end:.3g} at the end."
        return _describe(series, end, AT_ONCE, told)
    sudden = find_sudden_end(run)
    if sudden is not None and _has_lost_success(run, float(series.steps[sudden])):
        return _describe_sudden(series, sudden)
    limit = find_time_limit(str(run.config.values.get("environment", "")))
    if limit is None and _is_paid_for_nothing(run, series):
        told = f"Every episode ends after {end:.3g} steps, sooner than chance would have it, and pays {end:.3g} times "
        told += "the same: whatever the policy does, no return can be higher."
        return _describe(series, end, SHORT, told)
    if limit is None:
        return CannotTell(("environment",), "the time limit of the task is not known")
    longest = float(series.highs.max())
    same = (series.values > longest - 0.5).mean()
    improves = run.performance is not None and run.performance.improved
    if same < NEARLY_ALL or longest >= share * limit or improves:
        return None
    told = f"Episodes end after {longest:.0f} steps in {same:.0%} of the points, and the time limit is {limit:,.0f}."
    return _describe(series, longest, limit, told)


def _has_lost_success(run: Run, step: float) -> bool:
    """Whether the rate of success is less than half of what it was before."""
    success = run.get("task.success_rate", "evaluation.success_rate")
    if success is None:
        return False
    before, after = success.values[success.steps < step], success.values[success.steps >= step]
    return len(before) >= FEWEST_EQUAL and len(after) >= LAST and level(after) < HALF * level(before[-LAST:])


def _describe_sudden(series: Series, sudden: int) -> Finding:
    before, after = float(series.values[sudden - 1]), level(series.values[sudden:])
    step = float(series.steps[sudden])
    return Finding(
        message=f"Episodes lasted {before:.3g} steps and last {after:.3g} from step {step:,.0f} on, all alike, and "
        "success is lost: a counter that reset does not put back, or a start that is an end.",
        onset=float(series.steps[sudden - 1]),
        onset_within=step - float(series.steps[sudden - 1]),
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=after, limit=before, step=step),),
    )


def _is_paid_for_nothing(run: Run, series: Series) -> bool:
    """Whether short episodes are as long as the longest in nearly all rows, and pay the same for each of their steps.

    A few shorter ones show that the task ends episodes by itself too: the longest were cut.
    """
    returns, longest = run.get("reward.episode_return"), float(series.highs.max())
    if returns is None or len(returns) < FEWEST or not AT_ONCE < longest < SHORT:
        return False
    same, shorter = (
        (series.values[len(series) // 3 :] > longest - ROUNDED).mean(),
        float(series.lows.min()) < longest - ROUNDED,
    )
    each = np.interp(returns.steps, series.steps, series.values) / np.where(returns.values == 0, np.inf, returns.values)
    paid = level(each)
    return bool(same >= NEARLY_ALL and shorter and paid > 0 and np.all(np.abs(each - paid) < ROUNDED * paid))


def _describe(series: Series, value: float, limit: float, told: str) -> Finding:
    return Finding(
        message=told,
        onset=series.first_step,
        onset_within=series.last_step - series.first_step if value < AT_ONCE else series.interval,
        confidence=MEDIUM if value < AT_ONCE else HIGH,
        evidence=(Evidence(metric=series.name, value=value, limit=limit, step=series.last_step),),
    )
