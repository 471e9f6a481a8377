from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB104", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("two-actions",))
def two_actions(outcome: Outcome) -> Answer:
    """The better of two actions is not learned.

    ## What it sees
    A constant observation, one-step episodes and two actions: the second pays 1, the first costs 1; with continuous
    actions the two halves of the range. The trained agent must take the better one in at least 90 % of the queries, and
    a stochastic policy must have taken it in 75 % of the last quarter of training, on nearly every seed.

    ## Why it is bad
    A two-armed bandit with a clear winner needs no credit over time and no observation: only the advantage, the policy
    loss, its gradient and some exploration. A trainer that fails here learns nothing anywhere.

    ## What to do
    1. Read the shares of right actions, of the trained agent and during training. Near 0 in both, on all seeds: a wrong
       sign in the loss, the advantage or the reward. As at the beginning: no update reaches the policy. Right when
       queried, but about 70 % in training: the distribution is too flat. One action from the first steps on: no
       exploration.
    2. For a wrong sign: the loss is minimised, so it is minus the advantage times the log-probability; the advantage is
       return minus value.
    3. For no update: does the optimizer hold the actor's parameters, is the log-probability recomputed with gradients,
       and is the advantage not zero for all (a batch of one, normalised)?
    4. For a flat distribution: pass logits to `Categorical(logits=...)`, not probabilities, and lower the entropy
       bonus.
    5. Where another action wins with each seed, actions and advantages are no longer paired in the minibatch.

    ## How to prove it
    `weaklink probe TRAINER --only two-actions` after the change: the better action is taken nearly always.

    ## When it is wrong
    A learning rate or a number of updates far too small for the budget. An entropy bonus that is meant to keep the
    policy near uniform. An agent whose `act` samples from a policy that is right nine times in ten. Exploration that
    stays random beyond the budget: return the greedy agent.

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
