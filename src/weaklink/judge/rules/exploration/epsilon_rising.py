from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import mann_kendall
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# mann-Kendall's tau of a share that rises all the time
STEADY = 0.8


@rule(
    "EXP313",
    link=Link.EXPLORATION,
    level=Level.WARN,
    needs=("exploration.epsilon",),
    leads_to=(*BEARS_OUT, "EVA303", "EXP309"),
)
def epsilon_rising(run: Run, *, rise: float = 0.3) -> Answer:
    """The share of random actions rises over the training.

    ## What it sees
    Epsilon lies within 0 and 1, rises nearly all the time, and ends at least 0.3 above where it began.

    ## Why it is bad
    At first, when nothing is known, nothing is tried; at the end, when something is, chance acts. The return of the
    training falls with every step, whatever was learned.

    ## What to do
    1. Check the sign of the schedule, and which end of it is the first value.
    2. Check a decay that adds something: `epsilon * 0.995 + 0.01` rises to 2.
    3. Begin at 1 and end at 0.05 within the first tenth to half of the budget.

    ## How to prove it
    Print epsilon for the first and the last step of a schedule of a hundred steps.

    ## When it is wrong
    A share of greedy actions under the name of epsilon. Exploration that is raised again in phases does not rise all
    the time.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015.
    """
    epsilon = run["exploration.epsilon"]
    if len(epsilon) < FEWEST:
        return CannotTell((epsilon.name,), f"fewer than {FEWEST} points")
    first, last = float(epsilon.values[0]), float(epsilon.values[-1])
    within = epsilon.lows.min() >= 0 and epsilon.highs.max() <= 1
    if not within or last < first + rise or mann_kendall(epsilon.values)[0] < STEADY:
        return None
    half = float(epsilon.steps[int(np.argmax(epsilon.values > first + rise))])
    return Finding(
        message=f"Epsilon rises from {first:.3g} to {last:.3g}: the more is learned, the more chance acts.",
        onset=epsilon.first_step,
        onset_within=half - epsilon.first_step,
        confidence=HIGH,
        evidence=(Evidence(metric=epsilon.name, value=last, limit=first + rise, step=epsilon.last_step),),
    )
