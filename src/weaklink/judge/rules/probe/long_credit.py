from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB115", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("long-credit",))
def long_credit(outcome: Outcome) -> Answer:
    """A reward does not reach the choice six steps before it.

    ## What it sees
    A choice, six steps on which nothing depends, then 1 or -1 by the choice, which is seen all the way. The choice
    must be right in at least 90 % of the asks, and the value of each state on the way must come within 0.2 of gamma
    to the power of the steps still to go, on nearly every seed.

    ## Why it is bad
    One step of credit works, many do not: lambda or n is lost on the way, the target network never moves or moves too
    slowly, the recursion is cut, or a small mistake in the discount has been raised to the sixth power.

    ## What to do
    1. Read the values from the end back to the choice (right, for a discount of 0.9: 1, 0.9, 0.81 ... 0.53). 1, 0.81,
       0.66 ... 0.28: the discount is applied twice. 1 everywhere: not at all. 1, then 0: nothing is carried back.
       0.75 everywhere: the step is not seen.
    2. See that lambda multiplies the recursion and not the temporal-difference error, and that n-step targets use
       gamma to the n for what they take in.
    3. See that the target network is copied, how often, and how far (tau): seven states need several copies one after
       the other.
    4. See that the recursion is cut at ends of episodes only, not at the borders of minibatches.

    ## How to prove it
    `weaklink probe TRAINER --only long-credit` after the change: the values must fall by gamma with each step away
    from the end.

    ## When it is wrong
    One-step methods need many updates for seven states, and the more so with a slow target network: `--steps` tells.
    A discount that is not reported is raised to the sixth power here. Soft values hold the entropy bonus too.

    ## References
    Schulman et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation", arXiv 1506.02438;
    RLExplorer (target network not updated); practice.
    """
    return broken(
        outcome,
        "long-credit",
        Link.RETURNS,
        "credit is lost over several steps",
        "lambda, n-step targets, the target network, and where the recursion is cut",
    )
