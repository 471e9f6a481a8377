from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB103", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("delayed-reward",))
def delayed_reward(outcome: Outcome) -> Answer:
    """A reward one step ahead is not discounted into the value as it should be.

    ## What it sees
    Two steps with one action, and the only reward, 1, comes at the end. The second state must be worth 1 and the
    first gamma, both within a tenth, on nearly every seed, at the latest with four times the budget.

    ## Why it is bad
    It is the smallest problem in which something must be carried back in time. Returns, advantages, n-step and
    temporal-difference targets all do that, and a mistake here spoils every task that is longer than a step.

    ## What to do
    1. Read both values (for a discount of 0.9). 0 and 1: nothing is carried back, so the next value is missing or
       masked at the wrong place, the state's own value is taken, or the target network never moves. 4.7 and 5.3: the
       next value is taken in through the end. 1 and 0: rewards have slipped by one. 0.82 and 1: a little below, as
       with resets that are stored as steps. Anything but 1 for the second: its target is its reward alone, so what is
       seen after the first step does not reach the learner.
    2. Look at the recursion: it runs from the last step to the first, and uses reward, mask and next value of the
       same row.
    3. See which observation goes into the network for the target: the next one, of the same row.
    4. See where gamma is applied: once, and the gamma that the agent reports.

    ## How to prove it
    `weaklink probe TRAINER --only delayed-reward` after the change: the first state must come to gamma and the second
    to 1.

    ## When it is wrong
    Where the trainer is not told the discount, the agent's `gamma` is believed, and 0.99 without one: a wrong one
    shifts the first value. With a tolerance of a tenth a missing discount shows only on later rungs. Soft values hold
    the entropy bonus too: expose `temperature`, so that it is allowed for.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); RLMutation (returns in the wrong order,
    discount not used); RLExplorer (target network not updated).
    """
    return broken(
        outcome,
        "delayed-reward",
        Link.RETURNS,
        "returns, advantages or targets over more than one step are wrong",
        "the recursion over time, the mask of the target and the observation that it uses",
    )
