from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB107", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("terminal",))
def terminal(outcome: Outcome) -> Answer:
    """Something is taken in from beyond a real end, or the count of steps is wrong.

    ## What it sees
    Three steps that pay 1 each, then a real end; the step is seen. The states are worth 1 + gamma + gamma^2, 1 +
    gamma and 1: 2.71, 1.9 and 1 for a discount of 0.9. Each must come within 0.25, on nearly every seed.

    ## Why it is bad
    After a terminal nothing comes. A target that takes the next value in all the same makes dying worth as much as
    living, and values drift up without end or settle far too high; the return often hides it.

    ## What to do
    1. Read the three values. 10 everywhere: the end is not seen, so the flag is lost or the next episode's start is
       taken in. 10, 10 and 1: the state's own value is taken for the next one's. 1, 1 and 1.9: the mask is inverted.
       3, 2 and 1: no discount. 1, 2.7 and 1.9: observations are stored one step late. 1.87 everywhere: the step is
       not seen.
    2. Multiply the next value by (1 - terminated) of the same row, in the target and in the recursion of the
       advantages.
    3. See that the buffer stores the flag that the step returned, and not one of before or after.
    4. With automatic resets, see that the next observation of a last row is not the first of the next episode.

    ## How to prove it
    `weaklink probe TRAINER --only terminal` after the change: the three values must come to the discounted counts.

    ## When it is wrong
    A trainer with another discount than it reports: say it with `--gamma`. Value clipping or a small learning rate
    lets the largest value lag; `--steps` tells. Soft values hold the entropy bonus too: expose `temperature`.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments); RLMutation (missing terminal state);
    keras-rl issue 298; skrl issue 449.
    """
    return broken(
        outcome,
        "terminal",
        Link.RETURNS,
        "the end of an episode is not treated as one, or steps are miscounted",
        "the mask (1 - terminated) in the target and in the advantages, and the flag that the buffer stores",
    )
