from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import find_departure, level, mann_kendall
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# mann-Kendall's tau of a mean that walks on from where it left its first level to the end
STEADY = 0.8


@rule(
    "OBS303",
    link=Link.OBSERVATION,
    level=Level.WARN,
    needs=("observation.mean", "observation.std"),
    leads_to=BEARS_OUT,
)
def drifting_observations(run: Run, *, spreads: float = 10.0) -> Answer:
    """The mean of the observations walks away steadily.

    ## What it sees
    The logged mean of the observations moves steadily in one direction to the end of the log, and ends further from
    its first level than ten times the spread of the observations, while that spread does not grow with it.

    ## Why it is bad
    Another policy sees other states, but not ones that lie ten spreads away from all it ever saw, further with every
    update. A sensor drifts, a counter or a sum is among the observations, or a normaliser subtracts what it should not.
    The network is asked about inputs that it was never trained on.

    ## What to do
    1. Log the mean of each column and find the one that moves.
    2. Compare it with the true state, and calibrate or normalise it.

    ## How to prove it
    Play ten episodes with the first checkpoint now: their observations must have the mean of the beginning.

    ## When it is wrong
    Tasks in which a position without bounds is part of the observation, and the policy learns to go far: there the
    spread grows as well.

    ## References
    Practice.
    """
    mean, spread = run["observation.mean"], run["observation.std"]
    if min(len(mean), len(spread)) < 2 * FEWEST:
        return CannotTell((mean.name,), f"fewer than {2 * FEWEST} points")
    tenth = max(len(mean) // 10, 3)
    start, end = level(mean.values[:tenth]), level(mean.values[-tenth:])
    width = level(spread.values)
    limit = spreads * max(width, level(spread.values[-tenth:]))
    away = np.abs(mean.values - start)
    if width <= 0 or abs(end - start) <= limit:
        return None
    place = find_departure(away, int(np.argmax(away > limit)))
    if mann_kendall(away[place:])[0] < STEADY:
        return None
    step = float(mean.steps[place])
    return Finding(
        message=f"From step {step:,.0f} on the mean of the observations walks from {start:.3g} to {end:.3g}, "
        f"{abs(end - start) / width:,.0f} times their spread of {width:.3g}, and still does at the end.",
        onset=step,
        onset_within=mean.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=mean.name, value=end, limit=start + np.sign(end - start) * limit, step=step),),
    )
