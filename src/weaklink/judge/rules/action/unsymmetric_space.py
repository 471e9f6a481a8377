from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._words import name_some
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule

MOST_NAMED = 3  # dimensions that a message names before it counts the rest


@rule("ACT105", link=Link.ACTION, level=Level.INFO, on=Survey, needs=("action",))
def unsymmetric_space(survey: Survey, *, tolerance: float = 1e-6) -> Answer:
    """The bounds of a continuous action are not -1 and 1.

    ## What it sees
    The declared bounds of the continuous dimensions: those that are infinite, not symmetric around 0, or symmetric but
    not at 1.

    ## Why it is bad
    Most policies sample actions from a normal distribution around 0 with standard deviation 1 and clip the rest. In [0,
    100] almost every action is clipped to 0 or close to it; in [-0.01, 0.01] almost every action is clipped to a bound.
    Without bounds nothing defines a large action.

    ## What to do
    1. Declare the space as -1 to 1 and scale inside `step`, or wrap the environment (`RescaleAction` in Gymnasium).
    2. Give dimensions without a limit the largest value that makes sense.

    ## How to prove it
    Count how many actions of the untrained policy are clipped at the bounds: in a good space few are.

    ## When it is wrong
    SAC and TD3 of many libraries rescale by the bounds themselves. Many standard tasks have other bounds and are
    learned nevertheless; that is why this is info only.

    ## References
    Stable-Baselines3, tips and tricks: a symmetric and normalised box.
    """
    columns = survey.action.columns if survey.action is not None else ()
    numbers = [column for column in columns if column.kind == "number"]
    odd = [each for each in numbers if not (abs(each.low + 1.0) <= tolerance and abs(each.high - 1.0) <= tolerance)]
    if not odd:
        return None
    endless = [each for each in odd if not np.isfinite([each.low, each.high]).all()]
    kinds = (
        (endless, "have no bounds"),
        ([each for each in odd if not endless and abs(each.low + each.high) > tolerance], "are not symmetric around 0"),
        (odd, "are symmetric around 0 but do not end at 1"),
    )
    worst, words = next((found, words) for found, words in kinds if found)
    shown = name_some((f"{_name_action(each.label)} in [{each.low:g}, {each.high:g}]" for each in worst), MOST_NAMED)
    return Finding(
        message=f"{len(worst)} of {len(numbers)} continuous action dimensions {words}: {shown}.",
        confidence=HIGH,
        evidence=(
            Evidence(metric=f"{_name_action(worst[0].label)} low", value=worst[0].low, limit=-1.0),
            Evidence(metric=f"{_name_action(worst[0].label)} high", value=worst[0].high, limit=1.0),
        ),
    )


def _name_action(label: str) -> str:
    return f"action{label}" if label[:1] in ("", "[") else label
