from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import FAST_RATE
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    FAST_RATE: FlawWords(
        "The optimizer moves {head} with a learning rate of {number:g}, by which a step like Adam's moves every "
        "weight, and the weights of that layer are about {other:.2g} large: one step makes another network of it.",
        "Start from 3e-4 for Adam; rates above 0.01 are rare.",
        Link.OPTIMIZER,
        Level.WARN,
    )
}


@rule(
    "OPT207",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "OPT300", "OPT301", "OPT303", "OPT205", "POL301", "POL302", "POL303", "POL307", "EXP301", "EXP303", "EXP304",
        "VAL301", "VAL302", "VAL304", "VAL305", "REW301", "REW302", "REW303", "REW304",
    ),
    checks={"learning rate": "fails"},
)  # fmt: skip
def step_as_large_as_weights(rollout: Rollout) -> Answer:
    """One optimizer step moves the weights of a layer by about as much as they are large.

    ## What it sees
    The learning rate of the optimizer that is about to move the last layer of a network, and the weights of that layer.
    Adam and its kin divide a gradient by its usual size, so that a step moves every weight by about the learning rate,
    whatever the loss. Reported is a rate of 0.1 and more that is at least half of the root mean square of the weights.

    ## Why it is bad
    After each step the network is another one, and what it answers is noise. A critic like this sends its actor in a
    new direction with every update.

    ## What to do
    1. Start from 3e-4 with Adam, for every network of the trainer: actor, critics and temperature.
    2. Look for a missing exponent, `lr=1e-1` or `lr=3` for `3e-4`.

    ## How to prove it
    Repeat a short run with a hundredth of the rate: the loss falls instead of jumping.

    ## When it is wrong
    A linear layer on features that are tiny may need such weights, and grows into them.

    ## References
    Kingma and Ba, Adam: A method for stochastic optimization (2015), section 2.1, on the size of a step.
    """
    return judge_flaws(rollout, WORDS)
