from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

FEWEST_ROWS = 8


@rule(
    "DAT203",
    link=Link.DATA,
    level=Level.WARN,
    on=Rollout,
    needs=("ages",),
    leads_to=(
        "POL201", "POL301", "POL303", "POL304", "POL305", "DAT301", "DAT302", "VAL301", "EXP301", "REW302", "REW303",
        "REW304",
    ),
)  # fmt: skip
def stale_samples(rollout: Rollout, *, share: float = 0.01) -> Answer:
    """The update learns from experience that is older than the algorithm stands.

    ## What it sees
    For every sample of the update, how many updates lie between its collecting and now. An update means all epochs over
    one rollout, so that several epochs make nothing older. Samples that are older than the youngest by more than the
    algorithm tolerates, or all of them too old, are counted.

    ## Why it is bad
    An on-policy gradient is one of the policy that collected. On older samples ratios start far from 1, the clip throws
    them away or the update runs after a policy that is gone.

    ## What to do
    1. Empty the rollout buffer after each update; check that its position is set back, too.
    2. With actors of their own: push weights after every update, and drop or reweight what comes too late.

    ## How to prove it
    Count the rows of the buffer at the start of each update: they must be steps x environments, every time.

    ## When it is wrong
    Replay stands any age and is not judged. Asynchronous algorithms tolerate what their correction was made for: say
    how much.

    ## References
    Espeholt et al., IMPALA (2018); Schulman et al., Proximal policy optimization algorithms (2017).
    """
    part = rollout.ages
    if part is None:
        return CannotTell(("ages",))
    if part.tolerated is None:
        return None
    ages = np.ravel(np.asarray(part.updates, np.float64))
    ages = ages[np.isfinite(ages)]
    if ages.size < FEWEST_ROWS:
        return CannotTell(("ages",), "too few samples")
    epochs = rollout.probabilities.epochs if rollout.probabilities is not None else None
    youngest = float(ages.min())
    # one fresh rollout has one age; whether that is counted as 0, 1 or by epochs is a matter of convention
    late = ages - youngest > part.tolerated
    if youngest > part.tolerated + max(epochs or 1, 1):
        late = ages > part.tolerated
    if late.mean() <= share:
        return None
    return Finding(
        message=f"{late.mean():.0%} of {ages.size:,} samples are older than the {part.tolerated:g} updates that the "
        f"algorithm stands, the oldest by {ages.max() - part.tolerated:g}.",
        confidence=HIGH,
        evidence=(
            Evidence(metric="data.staleness", value=float(ages.max()), limit=part.tolerated),
            Evidence(metric="samples too old", value=float(late.mean()), limit=share),
        ),
    )
