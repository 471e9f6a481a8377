from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules.data._pairs import FEWEST_ROWS
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


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
    """The update learns from experience that is older than the algorithm tolerates.

    ## What it sees
    For every sample of an update, how many updates ago it was collected. An update means all epochs over one rollout,
    so several epochs make nothing older. Samples count as stale if they are older than the youngest by more than the
    algorithm tolerates, or if all of them are too old.

    ## Why it is bad
    An on-policy gradient holds for the policy that collected the data. On older samples importance ratios start far
    from 1: clipping discards them, or the update follows the gradient of an outdated policy.

    ## What to do
    1. Empty the rollout buffer after each update, and check that its position is reset as well.
    2. With separate actors, push weights after every update, and drop or reweight samples that arrive too late.

    ## How to prove it
    Count the rows of the buffer at the start of each update: they must be steps x environments every time.

    ## When it is wrong
    Replay tolerates any age and is not judged. Asynchronous algorithms tolerate the age that their correction was made
    for: tell the monitor how much.

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
    # a fresh rollout has one age; trainers count it as 0, 1 or by epochs
    late = ages - youngest > part.tolerated
    if youngest > part.tolerated + max(epochs or 1, 1):
        late = ages > part.tolerated
    if late.mean() <= share:
        return None
    return Finding(
        message=f"{late.mean():.0%} of {ages.size:,} samples are older than the {part.tolerated:g} updates that the "
        f"algorithm tolerates, the oldest by {ages.max() - part.tolerated:g}.",
        confidence=HIGH,
        evidence=(
            Evidence(metric="data.staleness", value=float(ages.max()), limit=part.tolerated),
            Evidence(metric="samples too old", value=float(late.mean()), limit=share),
        ),
    )
