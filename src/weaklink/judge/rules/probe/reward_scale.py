from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB116", link=Link.VALUE, level=Level.WARN, on=Outcome, needs=("reward-scale",))
def reward_scale(outcome: Outcome) -> Answer:
    """Rewards of another scale break learning.

    ## What it sees
    The matching action again, paying 100 and 20 in one form and 0.01 and -0.01 in the other. The trained agent must
    take the right action in both states in at least 90 % of the queries, on nearly every seed. Only the scale of the
    reward has changed.

    ## Why it is bad
    No real task pays exactly 1. Where the scale decides whether anything is learned, the value loss dominates the
    policy loss in a shared network, gradients are clipped to nothing, values are clipped, or rewards are clipped so
    that 100 and 20 become the same.

    ## What to do
    1. See which form fails. Only the large one, with both actions equal: rewards are clipped to 1. Only the large one,
       slowly: value clipping or gradient clipping. Only the small one: an entropy bonus, or an epsilon in a division,
       that outweighs 0.01.
    2. Normalise advantages, and normalise or scale rewards by a running standard deviation of the return.
    3. Turn value clipping off, or give its range in units of the return; lower the coefficient of the value loss, or
       give the critic its own network.
    4. Weigh the entropy bonus against the rewards: with rewards of 0.01 a coefficient of 0.01 only says "be random".

    ## How to prove it
    `weaklink probe TRAINER --only reward-scale` after the change: the right actions with large and with small rewards.

    ## When it is wrong
    Many sound trainers are sensitive by design and expect scaled rewards; then scale them and take this as a reminder.
    Agents with an entropy bonus or a fixed temperature in units of the reward act at random on rewards of 0.01, which
    is right. Value-based ones need more updates to reach 100.

    ## References
    Engstrom et al., "Implementation Matters in Deep Policy Gradients", arXiv 2005.12729; van Hasselt et al., "Learning
    values across many orders of magnitude", arXiv 1602.07714; Huang et al., "The 37 Implementation Details of Proximal
    Policy Optimization", 2022.
    """
    return broken(
        outcome,
        "reward-scale",
        Link.VALUE,
        "the scale of the rewards decides whether anything is learned",
        "reward and advantage normalisation, reward and value clipping, gradient clipping, and the entropy bonus",
    )
