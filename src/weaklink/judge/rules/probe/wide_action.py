from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB111", link=Link.ACTION, level=Level.ERROR, on=Outcome, needs=("wide-action",))
def wide_action(outcome: Outcome) -> Answer:
    """Actions are not brought to the bounds of the environment.

    ## What it sees
    The continuous target again, with bounds of -2 and 2, then of 0 and 100. The trained action must come within 0.3
    of the target, half of the range being 1, on nearly every seed.

    ## Why it is bad
    Networks speak in -1 to 1. Who hands that to the environment as it is can use only part of the range, in the
    second case almost none of it, and no training makes up for it.

    ## What to do
    1. Compare with the rung before: it holds, so the policy is right in bounds of -1 and 1. In [-2, 2] a distance of
       half the target means that actions stay within -1 and 1.
    2. Bring tanh outputs to the bounds: low + (a + 1) / 2 * (high - low), in one place, and store what the critic is
       trained on in the same units throughout.
    3. Unbounded Gaussians: wrap the environment with `RescaleAction`, so that -1 and 1 are its bounds.
    4. See that clipping happens last, only for the environment, and with its own bounds.

    ## How to prove it
    `weaklink probe TRAINER --only wide-action` after the change: the targets are met in both ranges.

    ## When it is wrong
    Trainers that leave scaling to the user's environment by design (most on-policy ones) need `RescaleAction` and are
    not wrong: say so with `train.scales = False`, and the second range is left out. A Gaussian that begins with a
    spread of 1 needs long to get to 100 without scaling.

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
