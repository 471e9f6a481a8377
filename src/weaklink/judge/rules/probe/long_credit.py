from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB115", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("long-credit",))
def long_credit(outcome: Outcome) -> Answer:
    """A reward does not reach the choice six steps before it.

    ## What it sees
    A choice, six steps that do not matter, then 1 or -1 depending on the choice, which stays observable. The choice
    must be right in at least 90 % of the queries, and the value of each state on the way must come within 0.2 of gamma
    to the power of the remaining steps, on nearly every seed.

    ## Why it is bad
    Credit over one step works, over many it does not: lambda or n is not applied, the target network is never updated
    or too slowly, the recursion is cut, or a small mistake in the discount is raised to the sixth power.

    ## What to do
    1. Read the values from the end back to the choice (right, for a discount of 0.9: 1, 0.9, 0.81 ... 0.53). 1, 0.81,
       0.66 ... 0.28: the discount is applied twice. 1 everywhere: not at all. 1, then 0: nothing propagates back. 0.75
       everywhere: the step is not observed.
    2. Check that lambda multiplies the recursion and not the TD error, and that n-step targets discount the bootstrap
       value by gamma to the n.
    3. Check that the target network is updated, how often, and how far (tau): seven states need several updates one
       after the other.
    4. Check that the recursion is cut at the end of episodes only, not at minibatch boundaries.

    ## How to prove it
    `weaklink probe TRAINER --only long-credit` after the change: the values must fall by gamma with each step away from
    the end.

    ## When it is wrong
    One-step methods need many updates for seven states, and more with a slow target network: a larger `--steps` shows
    it. An error in an unreported discount is raised to the sixth power here. Soft values include the entropy bonus.

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
