from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import UPDATE_TOO_FAR
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    UPDATE_TOO_FAR: FlawWords(
        "One update moves the policy at {head} beyond recognition: in {count:,} of {of:,} rows its last answers have a "
        "KL above 0.5 to those that it acted by (median {number:.3g}, where 0.01 to 0.05 is usual).",
        "Lower the learning rate; with Adam 3e-4 is usual, and 1e-2 is nearly always too much.",
        Link.OPTIMIZER,
    )
}


@rule(
    "OPT205",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "POL301", "POL302", "POL303", "POL304", "POL305", "POL307", "EXP301", "EXP302", "EXP303", "EXP304", "VAL301",
        "VAL302", "VAL304", "OPT300", "OPT301", "OPT303", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def update_too_far(rollout: Rollout) -> Answer:
    """One update changes the policy of a hand-written loop beyond recognition: its steps are far too large.

    ## What it sees
    What the policy answered when it acted, and what it answers to the same rows when they come for the last time in the
    update. In more than half of them the KL divergence between both is above 0.5.

    ## Why it is bad
    Everything that was collected belongs to a policy that no longer exists, so that all later minibatches of the update
    learn from the wrong data. Clipping does not help: a clipped row has no gradient, and nothing brings it back.

    ## What to do
    1. Lower the learning rate; with Adam 3e-4 is usual, and 1e-2 is nearly always too much.
    2. Use fewer epochs, larger minibatches, or stop an update once its KL is above 0.02 or so.

    ## How to prove it
    Halve the learning rate until the ratios of the last minibatch lie within the clip range.

    ## When it is wrong
    Where the observations were normalised anew between acting and learning, nothing is judged.

    ## References
    Schulman et al., Proximal policy optimization algorithms (2017); Huang et al., The 37 implementation details of
    proximal policy optimization (2022).
    """
    return judge_flaws(rollout, WORDS)
