from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB102", link=Link.VALUE, level=Level.ERROR, on=Outcome, needs=("observed-reward",))
def observed_reward(outcome: Outcome) -> Answer:
    """The value does not follow what is seen.

    ## What it sees
    One action and episodes of one step: +1 or -1 is seen, and that is the reward. The value of each of the two states
    must come within 0.15 of what is seen, on nearly every seed, at the latest with four times the budget. The next
    episode shows the other sign three times in four, so rows that slipped by one leave a trace of their own.

    ## Why it is bad
    The easiest rung needs a number, this one a function of the observation. A value that cannot tell two states apart
    serves as no baseline and no target, and every later step inherits that.

    ## What to do
    1. Read the two values at -1 and +1 (for a discount of 0.9). 0 and 0: the mean of both, so the observation does
       not matter. 0.5 and -0.5: rows have slipped by one. -0.41 and 0.41: resets are stored as steps. -0.69 and 0.69:
       the next episode's start is taken in. 0 and 1: the last layer cannot go below zero. 1 and -1: a sign.
       The same to the last digit with every seed, and the policy blind as well: what is seen is lost on its way.
    2. For 0 and 0 look at shapes in the value loss first: (B, 1) against (B,) becomes (B, B), and every value learns
       the mean of the batch. Then look for `detach()`, `no_grad` or a numpy conversion inside the network.
    3. See that the buffer copies observations: an array that the environment writes into again makes all rows equal.
       See that the loop carries the new observation over, and that one index picks observations and returns.
    4. For slipped rows look at the order of step, store and assign in the collecting loop.

    ## How to prove it
    `weaklink probe TRAINER --only observed-reward` after the change: -1 must be worth -1, and +1 must be worth 1.

    ## When it is wrong
    A learning rate far too small for the budget leaves both values between 0 and the right ones; `--steps` tells.
    Values in normalised units, or rewards that are normalised on their way, give other numbers by design. A trainer
    that normalises observations with statistics that `value` does not use answers for other observations than were
    asked about.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); RLExplorer ("saving the same data in the
    memory"); cleanrl issue 499 (resets stored as steps); practice.
    """
    return broken(
        outcome,
        "observed-reward",
        Link.VALUE,
        "the observation does not reach the value as it should",
        "shapes in the value loss, gradients through the value network, and how observations are stored",
    )
