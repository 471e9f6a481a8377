from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB104", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("two-actions",))
def two_actions(outcome: Outcome) -> Answer:
    """The better of two actions is not learned.

    ## What it sees
    Nothing to see, episodes of one step, and two actions: the second pays 1, the first costs 1; with continuous
    actions the halves of the range. The trained agent must take the better one in at least 90 % of the asks, and a
    policy that is drawn from must have taken it in 75 % of the last quarter of the training, on nearly every seed.

    ## Why it is bad
    A coin with a clear winner needs no credit over time and no observation: only the advantage, the policy loss, its
    gradient and some exploration. Whoever fails here learns nothing anywhere.

    ## What to do
    1. Read the shares of right actions, as handed over and in training. Near 0 in both, on all seeds: a sign, in the
       loss, the advantage or the reward. As at the beginning: no update reaches the policy. Right when asked, but
       about 70 % in training: the distribution is flattened. One action from the first steps on: nothing is tried.
    2. For a sign: the loss is minimised, so it is minus the advantage times the log-probability; the advantage is
       return minus value.
    3. For no update: does the optimizer hold the actor's parameters, is the log-probability recomputed with
       gradients, and is the advantage not zero for all (a batch of one, normalised)?
    4. For a flat one: give logits to `Categorical(logits=...)`, not probabilities, and lower the entropy bonus.
    5. Where another action wins with each seed, each action has lost its own advantage on the way into the batch.

    ## How to prove it
    `weaklink probe TRAINER --only two-actions` after the change: the better action nearly always.

    ## When it is wrong
    A learning rate or a number of updates far too small for the budget. An entropy bonus that is meant to keep the
    policy near uniform. An agent whose `act` draws from a policy that is right nine times in ten. Exploration that
    stays at random until after the budget: hand over the greedy agent.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); RLMutation and TheDeepChecker (flipped
    signs); RLExplorer (action stagnation); Huang et al., "The 37 Implementation Details of Proximal Policy
    Optimization", 2022.
    """
    return broken(
        outcome,
        "two-actions",
        Link.POLICY,
        "the advantage or the update of the policy is broken",
        "the advantage, the policy loss and its gradient",
    )
