from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB117", link=Link.VALUE, level=Level.ERROR, on=Outcome, needs=("q-values",))
def q_values(outcome: Outcome) -> Answer:
    """The action values (Q) are wrong.

    ## What it sees
    Two states with two actions each: in the first the agent may leave for 0.5 or go on, in the second take 1 or go
    back. The four values are gamma, 0.5, 1 and gamma squared: 0.9, 0.5, 1 and 0.81 for a discount of 0.9. Each must
    come within a tenth, on nearly every seed; or of its value when later actions are right as often as they were in
    training, which is what n-step targets learn.

    ## Why it is bad
    The value of the best action may look right while the others are wrong, and the agent never learns about actions
    that it does not take. Here the value of each action is known.

    ## What to do
    1. Read the four numbers. 0, 0.5, 1, 0: only the immediate reward, so the target does not bootstrap or the target
       network is never updated. About 5 everywhere: terminals are not masked. 0, 5, 5.5, 0: the mask is inverted. 0.45,
       0.5, 1, 0.9: the target bootstraps from the state itself. 1, 0.5, 1, 1: no discount.
    2. Only the value of the best action is right: the loss or the gather takes the maximum where it needs the action
       that was taken.
    3. Only the last number is far too small: the target takes the mean or the worst action instead of the best one, or
       going back is hardly tried.
    4. Twin critics: the target takes the smaller of the two for each row, and both are trained.

    ## How to prove it
    `weaklink probe TRAINER --only q-values` after the change: the four numbers are right.

    ## When it is wrong
    Actions that are hardly tried are hardly learned: keep some exploration to the end. Distributional critics must
    report the mean. Soft values include the entropy bonus: expose `temperature`. The minimum of twin critics lies a
    little below; more than a tenth is too much here. SARSA targets cannot be separated from n-step targets: both learn
    the value of the exploring policy, and neither is reported.

    ## References
    Mnih et al., "Human-level control through deep reinforcement learning", 2015; RLMutation (wrong update rule);
    RLExplorer; practice.
    """
    return broken(
        outcome,
        "q-values",
        Link.VALUE,
        "the target of the action values is wrong",
        "the target: reward, mask, best next action, target network; and for which action the loss is computed",
    )
