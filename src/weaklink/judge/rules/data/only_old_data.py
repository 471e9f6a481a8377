from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import theil_sen
from weaklink.judge.rules._course import FEWEST, find_still_above, has_improved
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# how near to 1 the age grows with each step where nothing new is drawn, and how old samples then are, of the training
EVEN, LEAST_OLD = 0.05, 0.75

# the share of the log over which a buffer stands still, of its capacity that it then has, and times its size in steps
STAYS, FILLED, TWICE = 0.5, 0.5, 2.0


@rule(
    "DAT303",
    link=Link.DATA,
    level=Level.WARN,
    needs=(("data.sample_age", "data.buffer_size"),),
    leads_to=("VAL304", "VAL305", "POL309", "REW301", "REW303", "REW304"),
    symptoms={"reward flat": 18},
)
def only_old_data(run: Run, *, limit: float = 0.75) -> Answer:
    """What is learned from is older than all data of the training would be on average.

    ## What it sees
    The mean age of sampled transitions stays above three quarters of the steps so far, and the return does not improve.
    Or the buffer grew and then stopped at less than half of the capacity that was set, with more steps to come than it
    holds, and the return does not improve or the samples are as old as that. Or the age grows by one with each step of
    the environment to the end, and the return of episodes does not improve: nothing new is ever drawn, whatever the
    mean reward of what is drawn does.

    ## Why it is bad
    Drawn evenly from everything that was ever collected, samples are half as old as the training. Older ones mean that
    new data do not reach the buffer or are never drawn: the policy learns from what its first version did.

    ## What to do
    1. Check what the buffer does when it is full: the position must go on from 0 and overwrite the oldest.
    2. Check that the sampler draws up to the current size, and that priorities of new transitions are not 0.

    ## How to prove it
    Log the index of the newest transition in each batch: it must move on with the training.

    ## When it is wrong
    Offline learning and demonstrations have no new data.

    ## References
    Fedus et al., Revisiting Fundamentals of Experience Replay, 2020.
    """
    stopped, learns = _find_stop(run), has_improved(run)
    series = run.get("data.sample_age")
    if series is None:
        return stopped if not learns and stopped else CannotTell(("data.sample_age",), "its size alone does not tell")
    if len(series) < FEWEST or series.provenance.axis == "updates":
        return CannotTell((series.name,), f"fewer than {FEWEST} points, or rows that do not count steps")
    returns = run.get("reward.episode_return")
    course = None if returns is None else measure_course(returns)
    if (course is None or not course.improved) and (same := _find_same(series)) is not None:
        return same
    if learns and stopped is None:
        return None
    shares = series.values / np.maximum(series.steps, 1.0)
    held = find_still_above(shares, limit)
    if held is None or held.level > 1.0:
        return None
    if stopped is not None:
        return stopped
    step = float(series.steps[held.start])
    return Finding(
        message=f"Samples are {held.level:.0%} as old as the training from step {step:,.0f} on (limit {limit:.0%}): "
        "new data are not learned from.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _find_same(series: Series) -> Finding | None:
    """Samples that grow as old as time goes by: always the same ones. An even draw grows older half as fast."""
    half = len(series) // 2
    steps, ages = series.steps[half:], series.values[half:]
    if len(steps) < FEWEST or series.provenance.axis not in ("env_steps", "step") or steps[-1] <= steps[0]:
        return None
    pace, _ = theil_sen(ages, steps)
    old = float(ages[-1]) / max(float(steps[-1]), 1.0)
    if abs(pace - 1.0) > EVEN or not LEAST_OLD < old <= 1.0:
        return None
    first = float(series.last_step - series.values[-1])
    return Finding(
        message=f"The mean age of samples grows by {pace:.2f} with every step, to {ages[-1]:,.0f} at the end: nothing "
        f"that was collected long after step {first:,.0f} is ever drawn.",
        onset=float(series.steps[0]),
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=pace, limit=0.5, step=series.last_step),),
    )


def _find_stop(run: Run) -> Finding | None:
    """A buffer that grew at first and takes nothing more, although it was made for far more and steps go on."""
    size, capacity = run.get("data.buffer_size"), run.config.number("buffer_size")
    if size is None or capacity is None or len(size) < FEWEST or size.values[0] >= size.values[-1]:
        return None
    last = float(size.values[-1])
    first = int(np.argmax(size.values >= last))
    stays = len(size) - first >= STAYS * len(size) and bool((size.values[first:] == last).all())
    full = last * max(run.config.number("environments") or 1.0, 1.0)  # some count the part of each environment
    if not stays or full >= FILLED * capacity or size.last_step < TWICE * full:
        return None
    step = float(size.steps[first])
    return Finding(
        message=f"The replay buffer stops at {last:,.0f} transitions from step {step:,.0f} on although it was made for "
        f"{capacity:,.0f}: new data are not learned from.",
        onset=step,
        onset_within=size.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=size.name, value=last, limit=capacity, step=step),),
    )
