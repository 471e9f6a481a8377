from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, find_steps, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 5
"""Steps at which rows must be equal: a policy is its reference at the start, and for a while at a low learning rate."""
ALL = 0.99


@rule(
    "LLM363",
    link=Link.POLICY,
    level=Level.WARN,
    on=Samples,
    needs=("reference_gap", ("step", "policy_version")),
    leads_to=("LLM303", "LLM305", "LLM307", "LLM311", "REW305"),
)
def reference_is_policy(samples: Samples, *, equal: float = 1e-6) -> Answer:
    """The reference model is the policy itself: their log-probabilities are the same at every step.

    ## What it sees
    Rows give the log-probabilities of their tokens under the policy and under the reference, and both are the same to
    1e-6 in 0.99 of the rows, at five steps or more, the last ones too.

    ## Why it is bad
    The KL to the reference is then always zero, so a penalty on it does nothing and nothing holds the policy back. Or
    the policy has not moved at all, and nothing was trained.

    ## What to do
    1. Load the reference as a copy of its own, before the first update, and freeze it.
    2. With adapters, check that they are switched off where the reference is asked.
    3. Check that the policy that is written down is the one that is trained: its log-probabilities must move.

    ## How to prove it
    Compare the weights of both models after ten updates: those of the policy must have changed, the others not.

    ## When it is wrong
    Dumps that write one column twice because no reference is used.

    ## References
    Ouyang et al., InstructGPT, 2022 (the KL penalty to a frozen reference).
    """
    rows = select_complete(samples, "reference_gap")
    steps = find_steps(rows)
    count = 0 if steps is None else len(np.unique(steps[np.isfinite(steps)]))
    if len(rows) < 2 * FEWEST_ROWS or count < FEWEST_STEPS:
        return CannotTell(("reference_gap",), f"fewer than {2 * FEWEST_ROWS} rows at {FEWEST_STEPS} steps give both")
    share = float((rows["reference_gap"] <= equal).mean())
    if share < ALL:
        return None
    return Finding(
        message=f"The reference model is the policy itself, or the policy does not move: in {share:.0%} of "
        f"{len(rows):,} rows their log-probabilities are identical at all {count} steps (limit {ALL:.0%}), so the KL "
        "is zero and its penalty does nothing.",
        confidence=HIGH,
        evidence=(Evidence(metric="reference_gap", value=share, limit=ALL),),
    )
