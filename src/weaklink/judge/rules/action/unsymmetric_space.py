from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import HIGH, Answer, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

MOST_NAMED = 3


@rule("ACT105", link=Link.ACTION, level=Level.INFO, on=Survey, needs=("action",))
def unsymmetric_space(survey: Survey, *, tolerance: float = 1e-6) -> Answer:
    """A continuous action does not go from -1 to 1.

    ## What it sees
    The declared bounds of the continuous dimensions: those that are infinite, not symmetric around 0, or symmetric with
    another end than 1.

    ## Why it is bad
    Most policies draw actions from a normal distribution around 0 with a spread of 1 and clip what lies outside. In
    [0, 100] almost every action is clipped to 0 or lost near it; in [-0.01, 0.01] almost every one is at an end.
    Without bounds nothing says what is large.

    ## What to do
    1. Declare the space as -1 to 1 and scale inside `step`, or wrap the environment (`RescaleAction` in Gymnasium).
    2. Give dimensions without a limit the largest value that makes sense.

    ## How to prove it
    Count how many actions of the untrained policy are clipped at the bounds: in a good space few are.

    ## When it is wrong
    SAC and TD3 of many libraries rescale by the bounds themselves. Many standard tasks have other bounds and are
    learned all the same; that is why this is only worth knowing.

    ## References
    Stable-Baselines3, tips and tricks: a symmetric and normalised box.
    """
    columns = survey.action.columns if survey.action is not None else ()
    numbers = [column for column in columns if column.kind == "number"]
    odd = [
        column for column in numbers if not (abs(column.low + 1.0) <= tolerance and abs(column.high - 1.0) <= tolerance)
    ]
    if not odd:
        return None
    endless = [column for column in odd if not (np.isfinite(column.low) and np.isfinite(column.high))]
    lopsided = [column for column in odd if column not in endless and abs(column.low + column.high) > tolerance]
    worst, told = (
        (endless, "have no bounds")
        if endless
        else (lopsided, "are not symmetric around 0")
        if lopsided
        else (odd, "are symmetric around 0 with another end than 1")
    )
    shown = ", ".join(
        f"{_label(column.label)} in [{column.low:g}, {column.high:g}]" for column in worst[:MOST_NAMED]
    ) + (f" and {len(worst) - MOST_NAMED} more" if len(worst) > MOST_NAMED else "")
    return Finding(
        message=f"{len(worst)} of {len(numbers)} continuous action dimensions {told}: {shown}.",
        confidence=HIGH,
        evidence=(
            Evidence(metric=f"{_label(worst[0].label)} low", value=worst[0].low, limit=-1.0),
            Evidence(metric=f"{_label(worst[0].label)} high", value=worst[0].high, limit=1.0),
        ),
    )


def _label(label: str) -> str:
    return f"action{label}" if label[:1] in ("", "[") else label
