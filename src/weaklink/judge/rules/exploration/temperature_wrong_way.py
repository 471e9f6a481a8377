from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.proving import OneRung
from weaklink.judge.rules._registry import rule

CHANCE = 5.0
"""Standard errors that chance does not reach."""


@rule(
    "EXP201",
    link=Link.EXPLORATION,
    level=Level.ERROR,
    on=Rollout,
    needs=("temperature",),
    leads_to=("EXP301", "EXP303", "EXP304", "EXP306", "VAL302", "REW301", "REW302", "REW304"),
    experiment=OneRung("entropy-temperature"),
)
def temperature_wrong_way(rollout: Rollout, *, excess: float = 1.0, relative: float = 0.5) -> Answer:
    """The temperature of a soft algorithm moves away from its target entropy.

    ## What it sees
    The logarithm of the temperature before and after an update, beside the entropy of the policy. Entropy well above
    its target should lower the temperature, entropy well below should raise it; here it does the opposite. Or the
    target, or the entropy itself, lies above the largest that there is: the log-probability is not that of the action.

    ## Why it is bad
    The loop that should hold the entropy drives it away: the temperature runs to zero and exploration ends, or it
    grows without bound and the reward no longer counts.

    ## What to do
    1. The loss is -log_alpha x (log_prob + target_entropy), with both detached: check the sign of each part.
    2. The target is minus the number of action dimensions for continuous actions, and a share of log(n) for n choices.
    3. Check that the optimizer of the temperature minimises.
    4. Take the term of the change of variables off the log-probability of a squashed action: log(1 - tanh(u)^2).

    ## How to prove it
    `weaklink probe TRAINER --only entropy-temperature`: the temperature must bring the entropy to its target.

    ## When it is wrong
    Momentum carries the temperature on for a few updates after the entropy has crossed its target; so only an entropy
    far from it counts: by `excess`, and by `relative` of the target. An entropy above the largest is told only beyond
    what chance makes of a batch.

    ## References
    Haarnoja et al., Soft actor-critic algorithms and applications (2018), section 5; Stable-Baselines3 issues #36 and
    #2013.
    """
    part = rollout.temperature
    if part is None or not all(np.isfinite(each) for each in (part.before, part.after, part.entropy_excess)):
        return CannotTell(("temperature",), "some numbers are not finite")
    target = part.target_entropy
    largest = part.largest_entropy
    if largest is None and rollout.spread is not None:
        largest = rollout.spread.largest_entropy
    if target is not None and largest is not None and target > largest:
        return Finding(
            message=f"The target entropy {target:.3g} lies above the largest entropy that there is, {largest:.3g}.",
            confidence=HIGH,
            evidence=(Evidence(metric="target entropy", value=target, limit=largest),),
        )
    if target is not None and part.largest_entropy is not None:
        entropy = part.entropy_excess + target
        if entropy > part.largest_entropy + CHANCE * part.entropy_error + 0.05:
            return _impossible(entropy, part.largest_entropy)
    moved = part.after - part.before
    far = max(excess, relative * abs(target or 0.0))
    if abs(part.entropy_excess) < far or moved == 0.0:
        return CannotTell(("temperature",), "the entropy is near its target, or the temperature did not move")
    if (moved > 0) != (part.entropy_excess > 0):
        return None
    side, way = ("above", "rose") if moved > 0 else ("below", "fell")
    return Finding(
        message=f"The entropy lies {abs(part.entropy_excess):.3g} {side} its target and the temperature {way} (its "
        f"logarithm from {part.before:.4g} to {part.after:.4g}): the sign of its loss is turned.",
        confidence=HIGH,
        evidence=(
            Evidence(metric="change of log temperature", value=moved, limit=0.0),
            Evidence(metric="entropy above target", value=part.entropy_excess),
        ),
    )


def _impossible(entropy: float, largest: float) -> Finding:
    return Finding(
        message=f"The entropy of the policy is {entropy:.3g}, above the largest that actions between bounds can have, "
        f"{largest:.3g}: the log-probability lacks the correction for squashing.",
        confidence=HIGH,
        evidence=(Evidence(metric="exploration.entropy", value=entropy, limit=largest),),
    )
