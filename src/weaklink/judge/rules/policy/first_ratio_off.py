from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, find_still_above
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

DEVIATION, DIVERGENCE = "policy.first_ratio_deviation", "policy.first_kl"

# what rounding and a change of kernels leave of a ratio of 1 and of a KL of 0, and rows at the start that agree so well
ROUNDING, AGREED = 1e-3, 3


@rule(
    "POL311",
    link=Link.POLICY,
    level=Level.WARN,
    needs=((DEVIATION, DIVERGENCE),),
    leads_to=(*BEARS_OUT, "DAT302"),
)
def first_ratio_off(run: Run, *, deviation: float = 0.1, divergence: float = 0.005) -> Answer:
    """Before the first step of an update the policy already differs from the one that collected the data.

    ## What it sees
    The ratios of the first minibatch are off by more than a tenth, or the KL there is above 0.005, to the end of the
    log. Where both agreed at first and then parted for good, the policy that collects no longer gets the weights of
    the one that learns (filed under system); otherwise the policy does not repeat its own probabilities.

    ## Why it is bad
    Nothing has been learned since the data were collected, so every ratio is 1 and the KL is 0, up to rounding. What
    differs is noise that is weighted as if it were progress, or another policy than the one that is updated: clipping
    then discards good samples, and the rest push in a wrong direction.

    ## What to do
    1. Switch off what is drawn anew in each pass (dropout, noisy layers), or draw it once for each rollout.
    2. Check that normalisers, recurrent states and masks are those of the time of collecting.
    3. Compare a checksum of the weights on both sides before each rollout.

    ## How to prove it
    Ask the policy for the log-probabilities of a rollout right after collecting it: they must be the stored ones.

    ## When it is wrong
    Actors that run ahead of the learner on purpose: where the log has their lag, and it is above 0 from the start,
    nothing is said. Nor of language models that differ from the start: engines that sample round differently.

    ## References
    Huang et al., The 37 implementation details of proximal policy optimization, 2022.
    """
    lag = run.get("data.staleness")
    if lag is not None and level(lag.values[: max(len(lag) // 10, AGREED)]) > 0:
        return None
    series, limit = (run[DEVIATION], deviation) if DEVIATION in run else (run[DIVERGENCE], divergence)
    if len(series) < FEWEST:
        return CannotTell((series.name,), f"fewer than {FEWEST} points")
    size = np.abs(series.values)
    held = find_still_above(size, limit)
    if held is None or held.level <= limit:
        return None
    parted = bool(np.max(size[:AGREED]) <= ROUNDING) and _parts_at_once(series, held.start)
    if run.family == "language" and not parted:
        return None
    step = float(series.steps[held.start])
    unit = "the largest ratio is off by" if series.name == DEVIATION else "the KL is"
    told = (
        "until then both were the same, so the weights that learn no longer reach the policy that collects"
        if parted
        else "nothing was learned in between, so the policy does not repeat its own probabilities"
    )
    return Finding(
        message=f"Before the first step of an update {unit} {held.level:.3g} from step {step:,.0f} on: {told}.",
        link=Link.SYSTEM if parted else Link.POLICY,
        onset=step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=held.level, limit=limit, step=step),),
    )


def _parts_at_once(series: Series, start: int) -> bool:
    """Whether all before agreed to rounding, but for the point on the way."""
    return bool(np.all(np.abs(series.values[: max(start - 1, 1)]) <= ROUNDING))
