from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB109", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("shifted-pairing",))
def shifted_pairing(outcome: Outcome) -> Answer:
    """Observations and rewards are off by one step.

    ## What it sees
    Two steps: a sign, then another one, and the reward of the second step is the first sign. The value of the first
    state must be gamma times its sign, that of the second the sign before it, whatever it shows itself; each within
    0.25, on nearly every seed. The last observation looks like a first one.

    ## Why it is bad
    An off-by-one in a buffer is silent: shapes fit, losses fall, and easy tasks are still learned, only slowly. The
    policy is rewarded for what it did one step earlier or later.

    ## What to do
    1. Read the values of the first states, then of the second (for a discount of 0.9). 0, then +-0.9: observations are
       stored a step late. +-1, then 0: rewards a step early. 0 everywhere: rewards a step late, or the observation is
       not used. +-0.45, then +-1: resets are stored as steps. 0, then +-1: nothing propagates back.
    2. Write the loop down for two steps and check row by row: observation before the step, action, reward, observation
       after, done flag.
    3. Check how the circular buffer wraps around: the newest slot has no next observation yet.
    4. With next-step autoreset leave out the row that only resets.

    ## How to prove it
    `weaklink probe TRAINER --only shifted-pairing` after the change: the value of the second state must be the sign
    that was shown first.

    ## When it is wrong
    Frame stacking by the trainer adds observations of the step before, which is harmless here. An n-step target that is
    shortened at the end of an episode is right too. Six values need more updates; a larger `--steps` shows it.

    ## References
    Gymnasium, vector environments and their autoreset modes; cleanrl issue 499; tensorforce issue 142; envpool issue
    194.
    """
    return broken(
        outcome,
        "shifted-pairing",
        Link.DATA,
        "observations, rewards and done flags of different steps end up in one row",
        "the order of step, store and assign in the collecting loop, and the indices of the buffer",
    )
