from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Rollout, Temperature
from weaklink.base.proving import OneRung
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# standard errors that chance does not reach
CHANCE = 5.0

# nats by which a computed entropy may exceed the largest possible one by rounding
SLACK = 0.05


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
    """The temperature moves the entropy away from its target.

    ## What it sees
    The log temperature before and after an update, together with the entropy of the policy. Entropy well above its
    target should lower the temperature, entropy well below should raise it; here the opposite happens. Or the target,
    or the entropy itself, exceeds the largest possible entropy: the log-probability is wrong.

    ## Why it is bad
    The temperature should hold the entropy at its target and drives it away instead. It falls to zero and exploration
    ends, or it grows without limit and the reward no longer counts.

    ## What to do
    1. Check the sign of each part of the loss: -log_alpha x (log_prob + target_entropy), with the bracket detached.
    2. Use a target of minus the number of action dimensions for continuous actions, a share of log(n) for n choices.
    3. Check that the optimizer of the temperature minimises.
    4. Subtract the change-of-variables term log(1 - tanh(u)^2) from the log-probability of a squashed action.

    ## How to prove it
    `weaklink probe TRAINER --only entropy-temperature`: the temperature must bring the entropy to its target.

    ## When it is wrong
    Momentum moves the temperature on for a few updates after the entropy has crossed its target, so only an entropy
    that is off by `excess`, and by `relative` of the target, counts. An entropy above the largest possible one is
    reported only beyond the sampling error of a batch.

    ## References
    Haarnoja et al., Soft actor-critic algorithms and applications (2018), section 5; Stable-Baselines3 issues #36 and
    #2013.
    """
    part = rollout.temperature
    if part is None or not all(np.isfinite(each) for each in (part.before, part.after, part.entropy_excess)):
        return CannotTell(("temperature",), "some numbers are not finite")
    return _find_impossible(rollout, part) or _judge_direction(part, excess, relative)


def _find_impossible(rollout: Rollout, part: Temperature) -> Finding | None:
    """A target, or an entropy, above the largest that the actions can have."""
    target, bounded = part.target_entropy, part.largest_entropy
    largest = bounded if bounded is not None or rollout.spread is None else rollout.spread.largest_entropy
    if target is None or largest is None:
        return None
    if target > largest:
        return Finding(
            message=f"The target entropy of {target:.3g} exceeds the largest possible entropy, {largest:.3g}.",
            confidence=HIGH,
            evidence=(Evidence(metric="target entropy", value=target, limit=largest),),
        )
    entropy = part.entropy_excess + target
    if bounded is None or entropy <= bounded + CHANCE * part.entropy_error + SLACK:
        return None
    return Finding(
        message=f"The entropy of the policy is {entropy:.3g}, above the largest possible for bounded actions, "
        f"{bounded:.3g}: the log-probability lacks the correction for squashing.",
        confidence=HIGH,
        evidence=(Evidence(metric="exploration.entropy", value=entropy, limit=bounded),),
    )


def _judge_direction(part: Temperature, excess: float, relative: float) -> Answer:
    moved = part.after - part.before
    far = max(excess, relative * abs(part.target_entropy or 0.0))
    if abs(part.entropy_excess) < far or moved == 0.0:
        return CannotTell(("temperature",), "the entropy is near its target, or the temperature did not move")
    if (moved > 0) != (part.entropy_excess > 0):
        return None
    side, way = ("above", "rose") if moved > 0 else ("below", "fell")
    return Finding(
        message=f"The entropy is {abs(part.entropy_excess):.3g} {side} its target, but the temperature {way} (log "
        f"temperature from {part.before:.4g} to {part.after:.4g}): the sign of its loss is flipped.",
        confidence=HIGH,
        evidence=(
            Evidence(metric="change of log temperature", value=moved, limit=0.0),
            Evidence(metric="entropy above target", value=part.entropy_excess),
        ),
    )
