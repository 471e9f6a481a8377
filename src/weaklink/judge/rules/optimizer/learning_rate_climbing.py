from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of the steps between points: a warm-up without an end climbs in nearly all of them
MOSTLY = 0.9

# of the log: a rate that still climbs in its last part has no end in sight
LAST = 0.2

# points above the limit, to the end of the log: no spike and no restart of a schedule
STAYED = 5


@rule(
    "OPT309",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    needs=("optimizer.learning_rate",),
    leads_to=BEARS_OUT,
    symptoms={"reward declines": 12},
    checks={"learning rate": "fails"},
)
def learning_rate_climbing(
    run: Run, *, times: float = 10.0, highest: float = 1e-2, highest_language: float = 1e-3
) -> Answer:
    """The learning rate climbs far beyond what was set, and does not come down again.

    ## What it sees
    The logged rate rises in nine of ten steps and still does at the end, or it has passed its limit at some step and
    never came back. The limit is ten times what the configuration sets (ten times the first rate, where nothing is
    set), and the usual 1e-2 (1e-3 for language models) at least. The return does not improve.

    ## Why it is bad
    Each update goes further than the last, until one of them goes so far that the policy is lost. KL, entropy and
    return show it later.

    ## What to do
    1. Give the warm-up an end: a multiplier of at most 1, `min(1, step / warmup)`.
    2. Check in which unit the schedule counts (steps, updates, minibatches), and that it is stepped once for each.
    3. Go back to a checkpoint from before the rate passed what was set.

    ## How to prove it
    Repeat the run with a constant rate and nothing else changed: the return must not fall.

    ## When it is wrong
    A search for the largest rate that works (a range test) climbs on purpose. Schedules that follow the KL go up and
    down, and one-cycle schedules fall again: neither is reported.

    ## References
    Goyal et al., Accurate, Large Minibatch SGD, 2017 (warm-up); Smith, Cyclical Learning Rates, 2017 (range test).
    """
    rate = run["optimizer.learning_rate"]
    if len(rate) < FEWEST:
        return CannotTell((rate.name,), f"fewer than {FEWEST} points")
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "no return or success rate to compare with")
    climbs = np.diff(rate.values) > 0
    last = climbs[-max(int(LAST * len(climbs)), 2) :]
    meant = run.config.number("learning_rate") or float(rate.values[0])
    limit = max(times * meant, highest_language if run.family == "language" else highest)
    climbing = bool(min(climbs.mean(), last.mean()) >= MOSTLY)
    if rate.values[-1] <= limit or course.improved or not (climbing or _has_stayed_above(rate.values, limit)):
        return None
    passed = int(np.argmax(rate.values > (meant if climbing else limit)))
    step = float(rate.steps[passed])
    ends = f"still does at the end; it was to be {meant:.3g}" if climbing else "stays there"
    return Finding(
        message=f"The learning rate climbs from {rate.values[0]:.3g} to {rate.values[-1]:.3g} and {ends}; it passes "
        f"{meant if climbing else limit:.3g} at step {step:,.0f}, while {course.told}.",
        onset=step,
        onset_within=rate.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=rate.name, value=float(rate.values[-1]), limit=limit, step=rate.last_step),),
    )


def _has_stayed_above(values: Array, limit: float) -> bool:
    """Whether the rate passed its limit once, after it had been below it, and never came back."""
    above = values > limit
    first = int(np.argmax(above))
    return first > 0 and len(values) - first >= STAYED and bool(above[first:].all())
