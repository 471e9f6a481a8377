from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB105", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("matching-action",))
def matching_action(outcome: Outcome) -> Answer:
    """The right action is not learned when it depends on the observation.

    ## What it sees
    Two observations, two actions and one-step episodes: the action that matches the observation pays 1, the other costs
    1. In both states the trained agent must take the right one in at least 90 % of the queries, in 75 % of the steps
    late in training if it samples, and both values must come within 0.3 of 1, on nearly every seed.

    ## Why it is bad
    Each part worked alone on the rungs before. Here they must work together: an observation, its action and its
    advantage have to stay in one row from the environment to the loss. Where rows are mixed up, the policy learns their
    average, which is no signal.

    ## What to do
    1. Read the two shares. 1 and 0: the same action whatever is observed. Near 0.5 in both: nothing is learned, though
       the better of two actions was. 0 and 0 would be a wrong sign, which the rung before would have shown. For an
       agent with action values their greedy action is checked: where it is right, only the selection is wrong.
    2. Follow one row through the code: is one index applied to observations, actions, old log-probabilities, advantages
       and returns? Is any of them shuffled, reshaped or sorted separately?
    3. Check that the policy gets the observation of the step at which it acted, not the one that the step returned, and
       that gradients reach its first layers.
    4. Check that an on-policy buffer is cleared after the update, so that no old rows are reused.

    ## How to prove it
    `weaklink probe TRAINER --only matching-action` after the change: both states right, and both values 1.

    ## When it is wrong
    A budget too small for the policy to converge; a larger `--steps` shows it. Observations that are normalised in
    training but not in `act`. A strong entropy bonus. Values in other units than the reward fail only the value part.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); Huang et al., "The 37 Implementation Details
    of Proximal Policy Optimization", 2022 (one index for a minibatch); practice.
    """
    return broken(
        outcome,
        "matching-action",
        Link.DATA,
        "observations, actions and advantages do not stay together, or the policy gets the wrong observation",
        "whether one index picks observations, actions and advantages for a minibatch, and the input of the policy",
    )
