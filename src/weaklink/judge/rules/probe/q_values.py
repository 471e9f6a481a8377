from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB117", link=Link.VALUE, level=Level.ERROR, on=Outcome, needs=("q-values",))
def q_values(outcome: Outcome) -> Answer:
    """The values of single actions are wrong.

    ## What it sees
    Two states with two actions: from the first one may leave for 0.5 or go on, from the second take 1 or go back. The
    four values are gamma, 0.5, 1 and gamma squared: 0.9, 0.5, 1 and 0.81 for a discount of 0.9. Each must come within
    a tenth, on nearly every seed; or of what it is worth when later actions are as often right as they were in
    training, which is what targets over several steps learn.

    ## Why it is bad
    The value of the best action may look right while the others are not, and then the agent never learns what it does
    not do. Here each action has its own known number.

    ## What to do
    1. Read the four numbers. 0, 0.5, 1, 0: only the immediate reward, so nothing is taken in or the target network
       never moves. About 5 everywhere: the end is not masked. 0, 5, 5.5, 0: the mask is inverted. 0.45, 0.5, 1, 0.9:
       the state's own value is taken in. 1, 0.5, 1, 1: no discount.
    2. Only the best action's value right: the loss or the gather takes the maximum where it needs the action that was
       taken.
    3. The last number far too small alone: the target takes the mean or the worst action, not the best one, or going
       back is hardly tried.
    4. Twin critics: the target takes the smaller of both for each row, and both are trained.

    ## How to prove it
    `weaklink probe TRAINER --only q-values` after the change: the four numbers.

    ## When it is wrong
    Actions that are hardly tried are hardly learned: keep some exploration to the end. Distributional critics must
    report the mean. Soft values hold the entropy bonus too: expose `temperature`. Twin minima lie a little below;
    more than a tenth is too much here. Targets of the action that was taken are not told from targets over several
    steps: both learn what exploring earns, and neither is accused.

    ## References
    Mnih et al., "Human-level control through deep reinforcement learning", 2015; RLMutation (wrong update rule);
    RLExplorer; practice.
    """
    return broken(
        outcome,
        "q-values",
        Link.VALUE,
        "the target of the action values is wrong",
        "the target: reward, mask, the best next action, the target network; and which action the loss is taken at",
    )
