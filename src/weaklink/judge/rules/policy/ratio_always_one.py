from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer rows say too little about a quantile
FEWEST_ROWS = 8

# the policy moved where probabilities changed by so many times the noise of computing them twice
NOISE = 100.0


@rule(
    "POL203",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("probabilities",),
    leads_to=("POL302", "POL303", "POL307", "POL308", "EXP301", "EXP302", "REW303", "REW304"),
)
def ratio_always_one(rollout: Rollout, *, moved: float = 0.01, seen: float = 0.01) -> Answer:
    """The policy moves over several epochs, but the importance ratios in its loss stay at 1.

    ## What it sees
    After an update of several epochs the probabilities of the stored actions have changed by more than `moved`. The
    ratios in the loss stayed at 1 meanwhile: their largest distance from 1 is less than `seen` of that change.

    ## Why it is bad
    A ratio of 1 is never clipped, so the update has no trust region: every epoch pushes as hard as the first. The
    logged KL and clip fraction look healthy until the policy collapses.

    ## What to do
    1. Keep the log-probabilities of the rollout and use them in every epoch; do not recompute them inside the loop over
       epochs.
    2. Detach the old ones once, before the first epoch: `log_prob - log_prob.detach()` is always 0.
    3. Check that the minibatch uses the stored column and not the one that was just computed.

    ## How to prove it
    Print the largest ratio of the last minibatch of an update: with a learning rate of 1e-3 it cannot be 1.

    ## When it is wrong
    With one epoch over one batch the ratio is rightly 1; such updates are not judged. A plain policy gradient that goes
    over its batch several times has no ratio at all, and is reported for the same reason.

    ## References
    TRL issue #454; Tensorforce issue #312; Schulman et al., Proximal policy optimization algorithms (2017), equation 7.
    """
    part = rollout.probabilities
    if part is None or part.after is None or part.used_ratio_spread is None:
        return CannotTell(("probabilities",), "the ratios in the loss, or the policy after the update, are not known")
    if part.epochs is None or part.epochs < 2:
        return CannotTell(("probabilities",), "in an update of one epoch the ratio is rightly 1")
    before = part.stored if part.fresh is None else part.fresh
    old, new = np.ravel(np.asarray(before, np.float64)), np.ravel(np.asarray(part.after, np.float64))
    if old.size != new.size or not np.isfinite(part.used_ratio_spread):
        return CannotTell(("probabilities",), "log-probabilities before and after differ in number")
    known = np.isfinite(old) & np.isfinite(new)
    if known.sum() < FEWEST_ROWS:
        return CannotTell(("probabilities",), "too few rows")
    went = float(np.quantile(np.abs(np.expm1(np.clip(new[known] - old[known], -30.0, 30.0))), 0.9))
    limit = max(seen * went, 2.0 * part.floor)
    if went <= max(moved, NOISE * part.floor) or part.used_ratio_spread > limit:
        return None
    return Finding(
        message=f"Over {part.epochs} epochs the probability of a tenth of the stored actions changed by more than "
        f"{went:.0%}, yet no ratio in the loss was further than {part.used_ratio_spread:.2g} from 1: the old "
        "log-probabilities are recomputed in every epoch, or the loss has none.",
        confidence=HIGH,
        evidence=(
            Evidence(metric="largest distance of a ratio from 1", value=part.used_ratio_spread, limit=limit),
            Evidence(metric="change of probability", value=went, limit=moved),
        ),
    )
