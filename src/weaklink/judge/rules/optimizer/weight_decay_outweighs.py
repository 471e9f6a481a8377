from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import DECAY
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    DECAY: FlawWords(
        "What the optimizer adds to the gradient of {head} for the decay of its weights is {number:.3g} times as large "
        "as the gradient of the loss, in {count:,} steps: it pulls the weights towards 0, whatever is learned.",
        "Leave weight_decay at 0, or at 1e-4 at most.",
        Link.OPTIMIZER,
        Level.WARN,
    )
}


@rule(
    "OPT208",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "OPT302", "POL302", "POL308", "EXP303", "VAL301", "VAL304", "VAL305", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def weight_decay_outweighs(rollout: Rollout) -> Answer:
    """The decay of the weights is larger than the gradient of the loss.

    ## What it sees
    The weights of the last layer of a network, the gradient that they hold before an optimizer step, and the weight
    decay of that optimizer: what it adds to the gradient is at least twice as large as the gradient itself in nearly
    all steps of an update.

    ## Why it is bad
    The optimizer makes the weights small instead of the loss. A policy becomes uniform, a critic answers 0. Adam scales
    the sum of both, so that even a small loss no longer shows.

    ## What to do
    1. Leave `weight_decay` at 0; reinforcement learning hardly ever needs it.
    2. Where it is wanted, use AdamW, which keeps it apart from the gradient.

    ## How to prove it
    Train with and without it for a short time: the norm of the weights falls in one of them.

    ## When it is wrong
    A network that has nothing more to learn has next to no gradient.

    ## References
    Loshchilov and Hutter, Decoupled weight decay regularization (2019).
    """
    return judge_flaws(rollout, WORDS)
