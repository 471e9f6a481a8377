from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MEAN, SPREAD = "returns.advantage_mean", "returns.advantage_std"

# of the rows, and how near to 1 a spread is that was divided by itself
NEARLY_ALL, UNIT = 0.9, 0.01


@rule(
    "RET304",
    link=Link.RETURNS,
    level=Level.WARN,
    needs=(MEAN, SPREAD),
    leads_to=(*BEARS_OUT, "LLM302", "LLM307", "LLM310"),
)
def scaled_not_centred(run: Run, *, limit: float = 0.2) -> Answer:
    """Advantages are divided by their spread, and their mean is not subtracted.

    ## What it sees
    The standard deviation of the advantages is 1 to a hundredth in nine of ten rows, so they were divided by it, and
    their mean is further from 0 than a fifth, on the same side, in as many.

    ## Why it is bad
    Normalising subtracts the mean before it divides. Without that, all actions of a batch are pushed the same way,
    good and bad ones alike, and what tells them apart is a small part of a large common push.

    ## What to do
    1. Subtract the mean of the batch, or of the group of the prompt, before dividing by the spread.
    2. Check the axis of the mean: over the completions of one prompt, not over one row.

    ## How to prove it
    Sum the advantages of a batch or of a group: the sum must be 0.

    ## When it is wrong
    Means that are weighted otherwise than the spread (by the tokens of each completion) are a little off.

    ## References
    Shao et al., DeepSeekMath, 2024; Huang et al., The 37 implementation details of proximal policy optimization, 2022.
    """
    mean, spread = run[MEAN], run[SPREAD]
    if min(len(mean), len(spread)) < FEWEST:
        return CannotTell((MEAN,), f"fewer than {FEWEST} points")
    off = level(mean.values)
    scaled = float(np.mean(np.abs(spread.values - 1.0) <= UNIT))
    apart = float(np.mean(np.sign(off) * mean.values > limit))
    if min(scaled, apart) < NEARLY_ALL:
        return None
    return Finding(
        message=f"The advantages have a spread of {level(spread.values):.3g} and a mean of {off:.3g} (limit "
        f"{limit:g}): they are divided by their spread, but their mean is not subtracted.",
        onset=mean.first_step,
        onset_within=mean.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=MEAN, value=off, limit=limit, step=mean.first_step),),
    )
