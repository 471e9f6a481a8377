from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule

# of the highest rate: the last rollout of a schedule that ends at zero may go on a little behind its end
TRACE = 0.1

# points: one row after the end of a schedule does little
FEWEST = 2


@rule(
    "OPT310",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    needs=("optimizer.learning_rate",),
    leads_to=BEARS_OUT,
    checks={"learning rate": "fails"},
)
def learning_rate_negative(run: Run) -> Answer:
    """The learning rate falls below zero.

    ## What it sees
    At two points or more the logged learning rate is negative.

    ## Why it is bad
    A step with a negative rate goes up the loss: what was learned is undone, first of all by the critic, whose loss
    grows without bound. The return follows later.

    ## What to do
    1. Hold the schedule at zero or at a small floor: `max(0, 1 - step / total)`.
    2. Check that the schedule counts in the unit and up to the number that the training really has.

    ## How to prove it
    Repeat the last part with a constant rate: the loss of the critic must not grow.

    ## When it is wrong
    An optimizer that was written to climb takes its rate with a minus sign. Then it is negative from the start.

    ## References
    PyTorch documentation, `torch.optim.lr_scheduler.LambdaLR`.
    """
    rate = run["optimizer.learning_rate"]
    below = np.flatnonzero(rate.lows < -TRACE * float(np.abs(rate.highs).max()))
    if len(below) < FEWEST or float(rate.values[0]) <= 0:
        return None
    step, lowest = float(rate.steps[below[0]]), float(rate.lows.min())
    return Finding(
        message=f"The learning rate is below zero from step {step:,.0f} on, and {lowest:.3g} at the lowest: each "
        "update undoes what was learned.",
        onset=step,
        onset_within=rate.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=rate.name, value=lowest, limit=0.0, step=step),),
    )
