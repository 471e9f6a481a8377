from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import block_means, find_lasting_above, find_lasting_below, level, mann_kendall
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

RATES = ("system.env_steps_per_second", "system.learner_steps_per_second")
LEARNING = ("optimizer.updates", "value.q_loss", "value.loss", "policy.loss", "optimizer.loss")
# rates of Stable-Baselines3 and CleanRL, which are means since the start of training
SINCE_THE_START = ("time/fps", "charts/SPS")

# blocks into which rates are averaged: enough for a trend, and free of single slow updates
MOST_BLOCKS = 25

# points of a rate, of which the first tenth and the time before learning are dropped
FEWEST_POINTS = 20
CUT_OFF = 10.0  # whole seconds: below, what was cut off of one is as much as a rate may differ
AS_THE_CLOCK = 0.1  # how far a mean since the start may lie from steps over time: setting up counts on one side alone

# mann-Kendall's tau of a decay over the run, and of one that goes on in its last third
STEADY, STILL = -0.6, -0.3


@rule(
    "SYS301",
    link=Link.SYSTEM,
    level=Level.WARN,
    on=Run,
    needs=((*RATES, "system.collect_time"),),
    leads_to=("DAT301",),
    symptoms={"too slow": 1},
    checks={"throughput and memory": "decides"},
)
def throughput_decay(run: Run, *, left: float = 0.5, balance: float = 20.0) -> Answer:
    """Training gets slower and slower.

    ## What it sees
    Environment or learner steps per second fall steadily to under half of their early level and stay there to the end.
    Rates that a trainer logs as a mean since the start are first converted to momentary rates, and the time before
    learning begins is left out. If collecting takes over twenty times as long as learning, or the reverse, this is only
    information.

    ## Why it is bad
    A gradual decay means that something grows: a list of statistics, a log that is rewritten, a buffer, swapped memory.
    The run will take far longer than planned, and in asynchronous training the data becomes stale.

    ## What to do
    1. Profile a short stretch late in the run and one early, and compare where the time goes.
    2. Check logging and statistics first: lists that are never emptied, plots and tables that are rebuilt each time.
    3. Watch the memory of the process, the accelerator and the environments' worker processes.
    4. Check whether the environment is slower in the states that a better policy reaches.

    ## How to prove it
    Restart from the last checkpoint: if the rate returns to its early level, the state of the process was the cause,
    otherwise the policy or the task.

    ## When it is wrong
    Off-policy runs slow down once when learning begins. Other jobs on the machine slow a run down for a while, so a
    rate that fell and then stayed level is only information. Longer evaluation episodes of a better policy, and longer
    completions, take more time for a good reason; the latter are taken into account.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    missing: tuple[str, ...] = ()
    for name in RATES:
        if name not in run:
            continue
        steps, rates = _read_rates(run, run[name])
        if len(rates) < FEWEST:
            missing = (*missing, name)
            continue
        found = _find_decay(run, run[name], steps, rates, left)
        if found is not None:
            return found
    found = _find_imbalance(run, balance)
    if found is None and missing:
        return CannotTell(missing, "there are too few or too coarse points after learning began")
    return found


def _read_rates(run: Run, series: Series) -> tuple[Array, Array]:
    """The momentary rates from the start of learning on, and the step at which each begins."""
    if len(series) < FEWEST_POINTS:
        return np.empty(0), np.empty(0)
    since_start = _is_mean_by_the_clock(run, series)
    if since_start is None:
        since_start = _is_called_mean_since_start(series) or _may_be_mean_since_start(series)
    if since_start:
        steps, rates = _compute_rates(run, series)
    else:
        steps, rates = series.steps, series.values
    warm = steps >= max(_find_learning_start(run), series.first_step + 0.1 * (series.last_step - series.first_step))
    return steps[warm], rates[warm]


def _is_called_mean_since_start(series: Series) -> bool:
    return "since the start" in series.provenance.aggregation or series.provenance.key in SINCE_THE_START


def _may_be_mean_since_start(series: Series) -> bool:
    """Whether a rate of environment steps that no name explains reads as a mean since the start.

    Then the time so far, its steps over the rate, grows from row to row; momentary rates soon scatter by more than one
    row is of the whole.
    """
    if series.name != RATES[0] or series.provenance.axis != "env_steps" or float(series.values.min()) <= 0:
        return False
    times = (series.steps - series.first_step + series.interval) / np.maximum(series.values, 1e-9)
    return bool(np.all(np.diff(times) > 0))


def _is_mean_by_the_clock(run: Run, series: Series) -> bool | None:
    """Whether a rate is that of all steps so far, by the time that is logged; None where no time is known."""
    elapsed = run.get("system.elapsed")
    if elapsed is None or len(elapsed) < FEWEST or elapsed.last_step < series.last_step:
        return None
    later = series.steps > series.steps[len(series) // 2]
    times = np.interp(series.steps[later], elapsed.steps, elapsed.values)
    whole = bool(np.all(elapsed.values == np.floor(elapsed.values)))
    if not later.any() or times.min() <= (CUT_OFF if whole else 0.0):
        return None
    return bool(level(np.abs(series.values[later] * times / series.steps[later] - 1.0)) < AS_THE_CLOCK)


def _compute_rates(run: Run, series: Series) -> tuple[Array, Array]:
    """Rates between block ends from a mean since the start, by the elapsed time where it is logged."""
    offset = series.first_step - series.interval
    if "system.elapsed" in run:
        elapsed = run["system.elapsed"]
        times = np.interp(series.steps, elapsed.steps, elapsed.values)
        coarsest = 1.0
    else:
        times = (series.steps - offset) / np.maximum(series.values, 1e-9)
        coarsest = float(np.max(times / np.maximum(series.values, 1.0)))  # rates are logged as whole numbers
    count = min(MOST_BLOCKS, len(series) - 1)
    ends = np.linspace(0, len(series) - 1, count + 1).astype(int)
    taken, done = np.diff(times[ends]), np.diff(series.steps[ends])
    if level(taken) < 5 * coarsest:
        return np.empty(0), np.empty(0)
    sure = taken > coarsest
    return series.steps[ends[:-1]][sure], done[sure] / taken[sure]


def _find_learning_start(run: Run) -> float:
    """The step at which learning begins, where it begins later than collecting."""
    if run.family in ("on-policy", "language"):
        return 0.0
    logged = [run[name] for name in LEARNING if name in run]
    first = max((series.first_step + series.interval for series in logged), default=0.0)
    return max(first, run.config.number("learning_starts") or 0.0)


def _find_decay(run: Run, series: Series, steps: Array, rates: Array, left: float) -> Finding | None:
    course = block_means(rates, MOST_BLOCKS)
    starts = steps[(np.arange(len(course)) * len(steps)) // len(course)]
    early = level(course[: max(len(course) // 4, 2)])
    limit = left * early / _measure_lengthening(run)
    held = find_lasting_below(course, limit, share=0.9)
    if held is None or not held.to_end or mann_kendall(course)[0] > STEADY:
        return None
    step = float(starts[held.start])
    what = "environment steps" if series.name == RATES[0] else "learner steps"
    return Finding(
        message=f"Throughput decays from {early:,.3g} to {held.level:,.3g} {what} per second, below {left:.0%} of "
        f"the early rate from step {step:,.0f} on.",
        level=Level.WARN if _still_falls(course) or _grows_evenly(1.0 / np.maximum(course, 1e-9)) else Level.INFO,
        onset=step,
        onset_within=level(np.diff(starts)),
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _still_falls(course: Array) -> bool:
    """Whether the rate still falls at the end: it does where something grows, not where another job ran beside."""
    last = course[-max(len(course) // 3, 5) :]
    return mann_kendall(last)[0] < STILL


def _grows_evenly(times: Array) -> bool:
    """Whether the time of a step grows along a line rather than in one jump: a line leaves less of it than two levels.

    A list that grows makes every step longer by the same; near the end that is little beside what is there already.
    """
    places = np.arange(len(times), dtype=float)
    slope, start = np.polyfit(places, times, 1)
    left = float(np.sum((times - start - slope * places) ** 2))
    jumps = (float(np.var(times[:at]) * at + np.var(times[at:]) * (len(times) - at)) for at in range(1, len(times)))
    return bool(slope > 0 and left < min(jumps)) and mann_kendall(times[len(times) // 2 :])[0] > -STILL


def _measure_lengthening(run: Run) -> float:
    """By what factor completions grew longer over the run, at least 1."""
    length = run.get("task.completion_length")
    if length is None or len(length) < FEWEST:
        return 1.0
    start, end = level(length.values[: len(length) // 5]), level(length.values[-(len(length) // 5) :])
    return max(end / start, 1.0) if start > 0 else 1.0


def _find_imbalance(run: Run, balance: float) -> Finding | None:
    """Collecting and learning where one waits for the other nearly all the time."""
    collect, learn = run.get("system.collect_time"), run.get("system.learn_time")
    if collect is None or learn is None or min(len(collect), len(learn)) < FEWEST:
        return None
    other = np.interp(collect.steps, learn.steps, learn.values)
    ratio = np.maximum(collect.values, 1e-9) / np.maximum(other, 1e-9)
    slow, quick = "collecting", "learning"
    held = find_lasting_above(ratio, balance, window=0.5)
    if held is None:
        slow, quick = quick, slow
        held = find_lasting_above(1 / ratio, balance, window=0.5)
    if held is None:
        return None
    step = float(collect.steps[held.start])
    return Finding(
        message=f"From step {step:,.0f} on {slow} takes {held.level:,.0f} times as long as {quick}.",
        level=Level.INFO,
        onset=step,
        onset_within=collect.interval,
        confidence=LOW,
        evidence=(Evidence(metric=collect.name, value=level(collect.values[held.start : held.end + 1]), step=step),),
    )
