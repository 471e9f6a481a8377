from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, find_still_above
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

CLIPPED, LARGEST = "observation.clipped_fraction", "observation.max"

# of numbers with a mean of 0 and a spread of 1, at most 1 / c**2 lie beyond c (Chebyshev); and twice that
TWICE = 2.0


@rule(
    "OBS304",
    link=Link.OBSERVATION,
    level=Level.WARN,
    needs=(CLIPPED,),
    leads_to=(*BEARS_OUT, "OBS302"),
)
def clipped_observations(run: Run, *, limit: float = 0.05) -> Answer:
    """Many entries of the observations sit at the limit that they are clipped to.

    ## What it sees
    The share of entries at the limit stays above one in twenty to the end of the log, or above twice what numbers of
    mean 0 and spread 1 can have beyond that limit, where it is larger: no more than one in the square of the limit lies
    so far out.

    ## Why it is bad
    A normaliser that works leaves numbers around 0 with a spread of 1, of which hardly any reaches a limit of 5 or 10.
    So its mean and variance are not those of these observations: never updated, taken from another environment, or
    loaded from an old file. What is cut off is lost for the policy.

    ## What to do
    1. Print mean and variance of the normaliser after each rollout: they must move in the first ones.
    2. Check that its update is called in training mode, and before the rollout is normalised.
    3. Check that the statistics that were loaded belong to this environment and its units.

    ## How to prove it
    Work out mean and spread of the raw observations of one rollout and compare them with those of the normaliser.

    ## When it is wrong
    Entries that are switches, and scaled so that one of their two values is the limit.

    ## References
    Andrychowicz et al., What Matters In On-Policy Reinforcement Learning?, 2021.
    """
    series = run[CLIPPED]
    if len(series) < FEWEST:
        return CannotTell((CLIPPED,), f"fewer than {FEWEST} points")
    largest = level(np.abs(run[LARGEST].values)) if LARGEST in run else 0.0
    most = max(limit, TWICE / largest / largest if largest > 1 else 0.0)
    held = find_still_above(series.values, most)
    if held is None:
        return None
    step = float(series.steps[held.start])
    told = f" of {largest:.3g}" if largest else ""
    return Finding(
        message=f"{held.level:.0%} of the entries of the observations are at the limit{told} that they are clipped to "
        f"from step {step:,.0f} on (at most {most:.0%} where a normaliser fits): its mean and variance are not theirs.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=CLIPPED, value=held.level, limit=most, step=step),),
    )
