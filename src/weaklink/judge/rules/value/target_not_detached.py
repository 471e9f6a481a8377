from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import THROUGH_TARGET
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    THROUGH_TARGET: FlawWords(
        "The gradient of the loss at {head} flows through its own target: in {count:,} rows the value of the next "
        "observation gets -{number:.4g} times the gradient of the prediction.",
        "Compute the target under torch.no_grad(), or detach it, and with the target network.",
        Link.VALUE,
    )
}


@rule(
    "VAL206",
    link=Link.VALUE,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL202", "VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "REW301", "REW302", "REW303", "REW304"),
)
def target_not_detached(rollout: Rollout) -> Answer:
    """The critic's target is not detached: the loss also moves the value that it bootstraps from.

    ## What it sees
    The network that learns is asked about the next observations of its rows as well, and what arrives there is minus
    gamma times the gradient of the prediction, row by row.

    ## Why it is bad
    The loss can be lowered by making next values smaller, instead of making predictions right. Learning is slow, and
    values tend towards those of a smoother problem.

    ## What to do
    1. Compute targets inside `with torch.no_grad():`, or call `.detach()` on them.
    2. Bootstrap from the target network, where there is one.

    ## How to prove it
    Print `target.requires_grad` right before the loss: it must be False.

    ## When it is wrong
    Residual-gradient algorithms differentiate the target on purpose.

    ## References
    Sutton and Barto, Reinforcement learning (2018), sections 9.3 (semi-gradient methods) and 11.5 (residual
    gradients); Baird, Residual algorithms (1995).
    """
    return judge_flaws(rollout, WORDS)
