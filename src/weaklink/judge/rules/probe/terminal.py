from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB107", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("terminal",))
def terminal(outcome: Outcome) -> Answer:
    """The target bootstraps beyond a terminal, or the count of steps is wrong.

    ## What it sees
    Three steps that pay 1 each, then a termination; the step is observed. The values are 1 + gamma + gamma^2, 1 + gamma
    and 1: 2.71, 1.9 and 1 for a discount of 0.9. Each must come within 0.25, on nearly every seed.

    ## Why it is bad
    Nothing follows a terminal. A target that bootstraps there all the same makes dying worth as much as living, and
    values diverge or settle far too high; the return often hides it.

    ## What to do
    1. Read the three values. 10 everywhere: the termination is ignored, so the flag is lost or the target bootstraps
       from the next episode's start. 10, 10 and 1: the target bootstraps from the state itself. 1, 1 and 1.9: the mask
       is inverted. 3, 2 and 1: no discount. 1, 2.7 and 1.9: observations are stored one step late. 1.87 everywhere: the
       step is not observed.
    2. Multiply the next value by (1 - terminated) of the same row, in the target and in the recursion of the
       advantages.
    3. Check that the buffer stores the flag that this step returned, not that of the step before or after.
    4. With autoreset, check that the next observation of the last row is not the first one of the next episode.

    ## How to prove it
    `weaklink probe TRAINER --only terminal` after the change: the three values must reach the discounted sums.

    ## When it is wrong
    A trainer with another discount than it reports: give it with `--gamma`. Value clipping or a small learning rate
    delays the largest value; a larger `--steps` shows it. Soft values include the entropy bonus: expose `temperature`.

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
