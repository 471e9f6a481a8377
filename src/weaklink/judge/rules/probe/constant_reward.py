from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB101", link=Link.VALUE, level=Level.ERROR, on=Outcome, needs=("constant-reward",))
def constant_reward(outcome: Outcome) -> Answer:
    """The value of a single state with a constant reward is not learned.

    ## What it sees
    The trainer is put on an environment with one action, nothing to see, and episodes of one step that pay 1. The value
    of the only state must reach 1, within a tenth, on nearly every seed, at the latest with four times the budget.

    ## Why it is bad
    Nothing is easier than this. Discounting, exploration and the policy play no part, so the value loss, its gradient
    or the optimizer is broken, or the end of an episode is ignored. No real task can be learned before this works.

    ## What to do
    1. Read the cause that the finding names: a value of 1 / (1 - gamma) means that the target bootstraps through a
       terminal, 0.5 that the advantage is used as the target, 0 that the critic is never updated. Far too high with one
       seed and far too low with another: updates overshoot, so lower the learning rate first.
    2. Look at the value loss: target minus value, squared, with a value-loss coefficient above zero.
    3. Check that the optimizer holds the critic's parameters and that `backward()` and `step()` are called.

    ## How to prove it
    `weaklink probe TRAINER --only constant-reward` after the change: the value must reach 1.

    ## When it is wrong
    A learning rate far too small for the budget looks the same: raise `--steps`, or see whether the value still changes
    between the two budgets. An agent whose `value` is in normalised units gives another number: expose it in units of
    the reward.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); practice.
    """
    return broken(
        outcome,
        "constant-reward",
        Link.VALUE,
        "the value loss or the optimizer is broken",
        "the value loss, its coefficient, and whether the optimizer holds the critic's parameters",
    )
