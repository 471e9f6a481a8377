from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import FRESH
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    FRESH: FlawWords(
        "Each of {count:,} optimizer steps of {head} that were looked at is the first one of its optimizer: what Adam "
        "knows of earlier gradients is lost, and a step is the sign of one gradient times the learning rate.",
        "Make the optimizer once, before the loop, and keep it.",
        Link.OPTIMIZER,
        Level.WARN,
    )
}


@rule(
    "OPT209",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("OPT303", "VAL304", "VAL305", "POL302", "POL303", "REW301", "REW302", "REW303", "REW304"),
)
def optimizer_made_anew(rollout: Rollout) -> Answer:
    """The optimizer is made anew for every step or every update.

    ## What it sees
    Whether an optimizer of the kind of Adam has moved the last layer of a network before: in each of at least four
    steps of an update that was read it has not, or at the first step of each of at least three updates after the first.

    ## Why it is bad
    Adam averages gradients over many steps, and divides them by their usual size. Without a memory each weight is moved
    by the whole learning rate in the direction of a single minibatch, however small and noisy its gradient is.

    ## What to do
    1. Make the optimizer once, where the network is made.
    2. A change of the learning rate needs no new one: set `group["lr"]`, or use a scheduler.

    ## How to prove it
    Print `len(optimizer.state)` before each step: it is 0 every time.

    ## When it is wrong
    Algorithms that reset the optimizer on purpose do so once in many updates, not at every step.

    ## References
    Kingma and Ba, Adam: A method for stochastic optimization (2015).
    """
    return judge_flaws(rollout, WORDS)
