from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB105", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("matching-action",))
def matching_action(outcome: Outcome) -> Answer:
    """The right action is not learned when it depends on what is seen.

    ## What it sees
    Two things can be seen, there are two actions, and episodes last a step: the action that matches pays 1, the other
    costs 1. In both states the trained agent must take the right one in at least 90 % of the asks, 75 % late in
    training where it draws, and both values must come within 0.3 of 1, on nearly every seed.

    ## Why it is bad
    Each part worked alone on the rungs before. Here they must work together: an observation, its action and its
    advantage have to stay in one row from the environment to the loss. Where rows are mixed up, the policy learns the
    average, and the average says nothing.

    ## What to do
    1. Read the two shares. 1 and 0: the same action whatever is seen. Near a half in both: nothing is learned, though
       two actions alone were told apart. 0 and 0 would be a sign, and the rung before would have shown it. An agent
       with action values is asked which action they prefer: where that is the right one, it is only taken wrongly.
    2. Follow one row through the code: is one index applied to observations, actions, old log-probabilities,
       advantages and returns? Is any of them shuffled, reshaped or sorted on its own?
    3. See that the policy gets the observation of the step at which it acted, not the one that the step returned, and
       that gradients reach its first layers.
    4. See that an on-policy buffer is cleared after the update, so that no old rows are learned from.

    ## How to prove it
    `weaklink probe TRAINER --only matching-action` after the change: both states right, and both values 1.

    ## When it is wrong
    A budget in which the policy cannot yet have become sure; `--steps` tells. Observations that are normalised in
    training but not in `act`. A strong entropy bonus. Values in other units than the reward fail the value part
    alone.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); Huang et al., "The 37 Implementation
    Details of Proximal Policy Optimization", 2022 (one index for a minibatch); practice.
    """
    return broken(
        outcome,
        "matching-action",
        Link.DATA,
        "observations, actions and advantages do not stay together, or the policy does not get what was seen",
        "whether one index picks observations, actions and advantages for a batch, and what the policy gets to see",
    )
