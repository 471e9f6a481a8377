from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

NOISE = 10.0
"""Times the floor of numerical noise: rounding alone stays well below."""


@rule(
    "LLM205",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("reference",),
    leads_to=("LLM310", "POL303", "POL305", "REW301", "REW304"),
)
def reference_drift_at_start(rollout: Rollout, *, most: float = 1e-3) -> Answer:
    """The reference model is not the model that the training starts from.

    ## What it sees
    The KL to the reference model before the first optimizer step. Its mean is over 0.001 per token, and over ten times
    the numerical noise, although nothing has been learned yet.

    ## Why it is bad
    The penalty pulls the policy towards another model from the first step on. It costs reward, and the logged KL is
    meaningless: it includes a difference that was there before.

    ## What to do
    1. Load the reference from the same checkpoint as the policy: same revision, same merged adapters.
    2. Compute the log-probabilities of both in the same precision, with the same temperature, mask and positions.
    3. Switch dropout off in both while they are compared.

    ## How to prove it
    Compare the weights of both models before training: the largest difference must be 0.

    ## When it is wrong
    A run that continues an earlier one and keeps the original model as the reference on purpose. Compare with the KL at
    the end of the earlier run: it must be the same.

    ## References
    TRL issues #235 and #925; minimind issue #814.
    """
    reference = rollout.reference
    if reference is None:
        return CannotTell(("reference",))
    kl = np.asarray(reference.kl, float)
    kl = kl[np.isfinite(kl)]
    if not kl.size:
        return CannotTell(("reference",), "no finite number")
    drift = float(np.abs(kl).mean())
    limit = max(most, NOISE * reference.floor)
    if drift <= limit:
        return None
    return Finding(
        message=f"The KL to the reference is {drift:.3g} per token before the first optimizer step.",
        onset=rollout.step,
        confidence=HIGH,
        evidence=(Evidence(metric="policy.kl_reference", value=drift, limit=limit, step=rollout.step),),
    )
