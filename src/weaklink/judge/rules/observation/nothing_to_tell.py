from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# a critic that has seen two different inputs differs from a constant by more than the rounding of 32 bits
ROUNDING = 1e-6

# of the points: a few may be anything
NEARLY_ALL = 0.9

# of the loss of the critic: below, returns do not vary and there is nothing to explain
NO_ERROR = 1e-6

# beside returns of hundreds a critic that began at 0 looks constant, whatever it sees: the scale of rewards is to blame
LARGE_ERROR = 1e4


@rule(
    "OBS302",
    link=Link.OBSERVATION,
    level=Level.WARN,
    needs=("value.explained_variance",),
    leads_to=(
        "VAL301",
        "VAL304",
        "VAL305",
        "POL302",
        "POL308",
        "EXP301",
        "EXP303",
        "POL309",
        "REW301",
        "REW303",
        "REW304",
    ),
    symptoms={"reward flat": 10, "about as good as random": 8},
)
def nothing_to_tell(run: Run, *, fewest: int = 12) -> Answer:
    """The critic says the same of every state, to the last digit.

    ## What it sees
    The explained variance is 0 to within the rounding of its numbers (1e-6) in nine of ten points, while the loss of
    the critic is not, and the return does not improve.

    ## Why it is bad
    A critic that is merely bad, even an untrained one, is off by something: its explained variance scatters around 0.
    Exactly 0 is what one and the same prediction for every state gives. So every state looks alike to it: observations
    are constant, or so large that its first layer is saturated, or all its units are dead.

    ## What to do
    1. Print a batch of observations as the networks get them: do the rows differ, and are they of the size of 1?
    2. If they do, look at the activations of the first layer of the critic: all 0, or all at the ends of a tanh.
    3. Check that the last layer of the critic was not multiplied by 0.

    ## How to prove it
    Give the critic two different observations of one rollout: its answers must differ.

    ## When it is wrong
    Tasks in which all states are worth the same leave nothing to explain; then the loss of the critic goes to 0.

    ## References
    Practice.
    """
    series, loss = run["value.explained_variance"], run.get("value.loss")
    course = run.performance
    if len(series) < max(fewest, FEWEST) or course is None:
        return CannotTell((series.name,), f"fewer than {max(fewest, FEWEST)} points, or no return to compare with")
    if (
        course.improved
        or course.best == course.lowest
        or loss is None
        or not NO_ERROR < level(loss.values) < LARGE_ERROR
    ):
        return None
    constant = np.abs(series.values) <= ROUNDING
    if constant.mean() < NEARLY_ALL or bool((series.values == series.values[0]).all() and series.values[0] != 0):
        return None
    return Finding(
        message=f"{series.name} is 0 to the last digit in {constant.mean():.0%} of {len(series)} points: the critic "
        f"says the same of every state, and {course.told}.",
        onset=series.first_step,
        onset_within=series.last_step - series.first_step,  # it never was otherwise
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=0.0, limit=ROUNDING, step=series.first_step),),
    )
