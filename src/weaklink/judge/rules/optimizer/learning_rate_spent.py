from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.rules._hyperparameters import is_table
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# a rate of a thousandth of the highest one moves nothing any more, one of a hundredth next to nothing
NOTHING, LITTLE = 1e-3, 1e-2

# fewer points do not show a schedule
FEWEST = 10


@rule(
    "OPT307",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=Run,
    needs=("optimizer.learning_rate",),
    leads_to=("OPT303", "POL302", "POL308", "VAL304", "EXP303", "REW301", "REW302", "REW304"),
    symptoms={"reward flat": 4},
)
def learning_rate_spent(run: Run, *, half: float = 0.5) -> Answer:
    """The learning rate is at zero, or next to it, for much of the run.

    ## What it sees
    The learning rate in force falls to a thousandth of its highest value before `half` of the run and stays there; a
    warning where it is a hundredth by then. A line, a cosine and a parabola that end with the run are above a
    hundredth for nine tenths of it. Of a table only where the return has declined: a step size of one over the number
    of tries makes values averages over all time, which is right until what is paid for changes. Then the values are
    blamed.

    ## Why it is bad
    From then on nothing is learned, while the training goes on, costs as much, and its curves look like a plateau.

    ## What to do
    1. A schedule counts what it was made for: updates, epochs, minibatches or environment steps. One that is stepped
       with every minibatch and made for the number of updates ends far too early, and so does one whose factor is
       multiplied into a rate that it has already lowered.
    2. Print the learning rate at the start, in the middle and at the end.

    ## How to prove it
    Train with a constant learning rate.

    ## When it is wrong
    A run that goes on on purpose after its schedule has ended, to measure a finished policy.

    ## References
    PyTorch documentation, `torch.optim.lr_scheduler`; Huang et al., The 37 implementation details of proximal policy
    optimization (2022).
    """
    series = run["optimizer.learning_rate"]
    highest = float(series.highs.max())
    if len(series) < FEWEST or highest <= 0.0:
        return CannotTell(("optimizer.learning_rate",), f"fewer than {FEWEST} points, or none above zero")
    end = run.last_step
    for level, share in ((Level.ERROR, NOTHING), (Level.WARN, LITTLE)):
        last = int(np.flatnonzero(series.highs > share * highest)[-1]) + 1
        if last < len(series) and series.steps[last] < half * end:
            return (
                _judge_table(run, series, last)
                if is_table(run.settings)
                else _describe(series, last, highest, end, level)
            )
    return None


def _judge_table(run: Run, series: Series, last: int) -> Finding | None:
    """Values that average over all time, while what they average has changed."""
    course = run.performance
    if course is None or not course.declined:
        return None
    ended, rate = float(series.steps[last]), float(series.values[last])
    return Finding(
        message=f"The step size falls to {rate:.2g} by step {ended:,.0f} and goes on falling: values are averages over "
        f"all time and no longer follow what is paid, while {course.told}.",
        link=Link.VALUE,
        level=Level.WARN,
        onset=ended,
        onset_within=series.interval,
        confidence=MEDIUM,
        evidence=(Evidence(metric=series.name, value=rate, limit=float(series.highs.max()), step=ended),),
    )


def _describe(series: Series, last: int, highest: float, end: float, level: Level) -> Finding:
    ended, rate = float(series.steps[last]), float(series.values[last])
    outcome = "nothing" if level is Level.ERROR else "next to nothing"
    return Finding(
        message=f"The learning rate falls from {highest:g} to {rate:.2g} by step {ended:,.0f}, {ended / end:.0%} of "
        f"the way through {end:,.0f} steps: {outcome} is learned afterwards.",
        level=level,
        onset=ended,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric="optimizer.learning_rate", value=rate, limit=highest, step=ended),),
    )
