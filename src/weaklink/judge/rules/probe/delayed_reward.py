from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB103", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("delayed-reward",))
def delayed_reward(outcome: Outcome) -> Answer:
    """A reward one step ahead is not discounted into the value as it should be.

    ## What it sees
    Two steps with one action, and the only reward, 1, comes at the end. The second state must be worth 1 and the first
    gamma, both within a tenth, on nearly every seed, at the latest with four times the budget.

    ## Why it is bad
    It is the smallest problem in which reward must propagate back in time. Returns, advantages, n-step and TD targets
    all do that, and a mistake here spoils every task that is longer than one step.

    ## What to do
    1. Read both values (for a discount of 0.9). 0 and 1: nothing propagates back, so the bootstrap value is missing or
       masked at the wrong place, the target uses the state's own value, or the target network is never updated. 4.7 and
       5.3: the target bootstraps through the terminal. 1 and 0: rewards are off by one step. 0.82 and 1: resets may be
       stored as steps. Anything but 1 for the second: its target is its reward alone, so observations after the first
       step do not reach the learner.
    2. Look at the recursion: it runs from the last step to the first, and uses reward, mask and next value of the same
       row.
    3. Check which observation the target network gets: the next one, of the same row.
    4. Check where gamma is applied: once, and with the value that the agent reports.

    ## How to prove it
    `weaklink probe TRAINER --only delayed-reward` after the change: the first state must reach gamma and the second 1.

    ## When it is wrong
    Where the trainer is not given a discount, the agent's `gamma` counts, or 0.99 without one: a wrong one shifts the
    first value. With a tolerance of a tenth a missing discount shows only on later rungs. Soft values include the
    entropy bonus: expose `temperature`, so that it is accounted for.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); RLMutation (returns in the wrong order,
    discount not used); RLExplorer (target network not updated).
    """
    return broken(
        outcome,
        "delayed-reward",
        Link.RETURNS,
        "returns, advantages or targets over more than one step are wrong",
        "the recursion over time, the mask of the target and the observation that it bootstraps from",
    )
