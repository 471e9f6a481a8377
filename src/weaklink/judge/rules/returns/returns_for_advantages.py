from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level, quantile
from weaklink.judge.rules._course import start_of
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

ADVANTAGE, LOSS = "returns.advantage_mean", "value.loss"

# points of which half are judged, and how many of those may be otherwise
FEWEST_POINTS, FEW = 20, 0.1

# of its first value: a critic whose loss fell so far has learned the mean of its targets at least
FALLEN = 0.25


@rule(
    "RET307",
    link=Link.RETURNS,
    level=Level.WARN,
    needs=(ADVANTAGE, LOSS),
    leads_to=(*BEARS_OUT, "RET302"),
)
def returns_for_advantages(run: Run, *, times: float = 4.0) -> Answer:
    """Advantages are returns from which no value was taken off.

    ## What it sees
    An advantage is a return less its value, so the mean of the advantages is the mean error of the critic, whose square
    its loss cannot be below. Through the second half of the log the square of the mean advantage is four times the
    value loss and more, always with one sign, although that loss fell to a quarter.

    ## Why it is bad
    Without the value that was expected, every action of a good state looks good and every action of a bad one bad.
    Where all returns are negative, each action that was taken becomes rarer, and the spread of actions grows.

    ## What to do
    1. Subtract the critic's values from the returns, the ones of the same rows: `advantages = returns - values`.
    2. Check that the array that the policy loss gets is that of advantages and not that of value targets.
    3. Normalise advantages in each batch: a constant that is left over goes with it.

    ## How to prove it
    Print returns, values and advantages of five rows side by side.

    ## When it is wrong
    A loss that is capped far away (Huber) or divided by a scale of its targets is smaller than squares; it would have
    to fall without the advantages, though. Advantages that are normalised before they are logged have a mean of 0.

    ## References
    Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation, 2015.
    """
    mean, loss = run[ADVANTAGE], run[LOSS]
    if min(len(mean), len(loss)) < FEWEST_POINTS:
        return CannotTell((ADVANTAGE,), f"fewer than {FEWEST_POINTS} points")
    half = len(mean) // 2
    late = mean.values[half:]
    errors = np.interp(mean.steps[half:], loss.steps, loss.values)
    end, first = level(errors), start_of(loss.values)
    one_sided = bool((late > 0).all() or (late < 0).all())
    if not one_sided or end > FALLEN * first or quantile(late**2 - times * errors, FEW) <= 0:
        return None
    step = float(mean.steps[half])
    return Finding(
        message=f"The mean advantage stays at {level(late):,.3g} from step {step:,.0f} on, although a value loss of "
        f"{end:,.3g} (from {first:,.3g}) means that values are off by {end**0.5:,.3g} at most: nothing is taken off "
        "the returns.",
        onset=mean.first_step,
        onset_within=step - mean.first_step,
        confidence=HIGH,
        evidence=(
            Evidence(metric=ADVANTAGE, value=level(late), limit=(times * end) ** 0.5, step=step),
            Evidence(metric=LOSS, value=end, limit=FALLEN * first, step=step),
        ),
    )
