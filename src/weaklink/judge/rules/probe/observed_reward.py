from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB102", link=Link.VALUE, level=Level.ERROR, on=Outcome, needs=("observed-reward",))
def observed_reward(outcome: Outcome) -> Answer:
    """The value does not depend on the observation as it should.

    ## What it sees
    One action and one-step episodes: the observation is +1 or -1, and that is the reward. The value of each of the two
    states must come within 0.15 of it, on nearly every seed, at the latest with four times the budget. The next episode
    shows the other sign three times in four, so rows that are off by one step leave a distinct trace.

    ## Why it is bad
    The first rung needs a constant, this one a function of the observation. A value that cannot separate two states is
    useless as a baseline and as a target, and all later steps inherit that.

    ## What to do
    1. Read the two values at -1 and +1 (for a discount of 0.9). 0 and 0: the mean of both, so the observation does not
       matter. 0.5 and -0.5: rows are off by one step. -0.41 and 0.41: resets are stored as steps. -0.69 and 0.69: the
       target bootstraps from the next episode's start. 0 and 1: the last layer cannot go below zero. 1 and -1: a wrong
       sign. The same to the last digit with every seed, and a policy that ignores the observation too: the observation
       is lost before the networks.
    2. For 0 and 0 look at shapes in the value loss first: (B, 1) against (B,) becomes (B, B), and every value learns
       the mean of the batch. Then look for `detach()`, `no_grad` or a numpy conversion inside the network.
    3. Check that the buffer copies observations: an array that the environment overwrites makes all rows equal. Check
       that the loop assigns the new observation, and that one index picks observations and returns.
    4. For rows that are off by one look at the order of step, store and assign in the collecting loop.

    ## How to prove it
    `weaklink probe TRAINER --only observed-reward` after the change: -1 must be worth -1, and +1 must be worth 1.

    ## When it is wrong
    A learning rate far too small for the budget leaves both values between 0 and the right ones; a larger `--steps`
    shows it. Values in normalised units, or normalised rewards, give other numbers by design. If the trainer normalises
    observations with statistics that `value` does not use, the answers belong to other observations.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); RLExplorer ("saving the same data in the
    memory"); cleanrl issue 499 (resets stored as steps); practice.
    """
    return broken(
        outcome,
        "observed-reward",
        Link.VALUE,
        "the observation does not reach the value network correctly",
        "shapes in the value loss, gradients through the value network, and how observations are stored",
    )
