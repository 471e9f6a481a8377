from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB111", link=Link.ACTION, level=Level.ERROR, on=Outcome, needs=("wide-action",))
def wide_action(outcome: Outcome) -> Answer:
    """Actions are not rescaled to the bounds of the environment.

    ## What it sees
    The continuous target again, with bounds of -2 and 2, then of 0 and 100. The trained action must come within 0.3 of
    the target, in units of half the range, on nearly every seed.

    ## Why it is bad
    Networks output -1 to 1. A trainer that passes this to the environment unchanged can use only part of the range, in
    the second case almost none of it, and no training makes up for that.

    ## What to do
    1. Compare with the rung before: it holds, so the policy is right within bounds of -1 and 1. In [-2, 2] a distance
       of half the target means that actions stay within -1 and 1.
    2. Rescale tanh outputs to the bounds: low + (a + 1) / 2 * (high - low), in one place, and store the critic's
       actions in the same units throughout.
    3. Unbounded Gaussians: wrap the environment with `RescaleAction`, so that -1 and 1 are its bounds.
    4. Check that clipping happens last, only for the environment, and with its own bounds.

    ## How to prove it
    `weaklink probe TRAINER --only wide-action` after the change: the targets are met in both ranges.

    ## When it is wrong
    Trainers that leave scaling to the user's environment by design (most on-policy ones) need `RescaleAction` and are
    not wrong: say so with `train.scales = False`, and the second range is skipped. A Gaussian that starts with a
    standard deviation of 1 needs long to reach 100 without scaling.

    ## References
    Stable-Baselines3, tips for custom environments (normalised actions); Gymnasium, `RescaleAction`; practice.
    """
    return broken(
        outcome,
        "wide-action",
        Link.ACTION,
        "actions do not fit the bounds of the environment",
        "where actions are scaled and clipped to the bounds of the action space",
    )
