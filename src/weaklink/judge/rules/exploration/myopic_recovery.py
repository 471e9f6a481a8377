from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.proving import ENTROPY, LOWEST, RISES, Change, Intervention, Promise
from weaklink.base.stats import block_means, find_lasting_above, noise
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import LOW, Answer, CannotTell, Evidence, Finding, Level, Link, rule

METRICS = ("exploration.relative_entropy", "exploration.entropy")

# the fall before the minimum must be at least this share of the rise after it
DIP = 0.3


@rule(
    "EXP305",
    link=Link.EXPLORATION,
    level=Level.INFO,
    on=Run,
    needs=(METRICS,),
    leads_to=("REW302",),
    experiment=Intervention(
        change=Change(setting="ent_coef", to=0.02),
        promise=Promise(metrics=ENTROPY, then=RISES, measure=LOWEST),
        if_confirmed="More exploration makes the dip shallower: keep the larger bonus for the early part.",
        if_refuted="The dip does not follow the bonus: look at the horizon (gamma) and at the reward of the first "
        "steps.",
    ),
)
def myopic_recovery(run: Run, *, early: float = 0.35, large: float = 0.25) -> Answer:
    """The policy settled on a short-sighted behaviour early and had to unlearn it.

    ## What it sees
    The entropy falls to its minimum in the first third of the run, then rises by more than a quarter of its largest
    value and stays up to the end.

    ## Why it is bad
    A large, lasting rise after an early minimum means that the policy first settled on an easy reward and had to
    unlearn it. Recovery costs time, and not every run recovers.

    ## What to do
    1. Raise the entropy bonus at the start, and anneal it.
    2. Check what the policy did at the minimum, and whether the reward is meant to pay for it.
    3. Normalise rewards so that the first ones found do not drown the bonus.

    ## How to prove it
    Watch ten episodes of the policy near the minimum: the short-sighted behaviour is easy to see.
    Repeat with three times the entropy bonus: the dip must become shallower. `weaklink confirm EXP305 my_project.py`
    repeats it with a coefficient of 0.02.

    ## When it is wrong
    An entropy bonus that is scheduled to grow, or a task that gets harder, raises the entropy for good reasons. Small
    rises are normal.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    series = run.get(*METRICS)
    if series is None or len(series) < FEWEST:
        return CannotTell(("exploration.entropy",), f"fewer than {FEWEST} points")
    values = series.values
    course = block_means(values, 20)
    lowest = int(np.argmin(course))
    start, bottom, end = float(course[0]), float(course[lowest]), float(course[-2:].mean())
    rise, fall = end - bottom, start - bottom
    needed = max(large * float(np.abs(course).max()), 6 * noise(values), 1e-6)
    if not 0 < lowest <= early * len(course) or rise < needed or fall < max(DIP * rise, 3 * noise(course)):
        return None
    first = (lowest * len(values)) // len(course)
    held = find_lasting_above(values[first:], bottom + 0.5 * rise, window=0.4)
    if held is None or not held.to_end:
        return None
    step = float(series.steps[first])
    return Finding(
        message=f"The entropy fell from {start:.3g} to {bottom:.3g} by step {step:,.0f} and then rose to {end:.3g}, "
        "where it stayed.",
        onset=step,
        onset_within=series.interval,
        confidence=LOW,
        evidence=(Evidence(metric=series.name, value=bottom, limit=end, step=step),),
    )
