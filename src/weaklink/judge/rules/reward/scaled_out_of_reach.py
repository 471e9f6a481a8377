from __future__ import annotations

import numpy as np

from weaklink.base.evidence.recovered import RecoveredValues
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW201",
    link=Link.REWARD,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "VAL202",
        "VAL301",
        "VAL302",
        "VAL304",
        "VAL305",
        "OPT301",
        "OPT302",
        "POL302",
        "REW301",
        "REW302",
        "REW304",
    ),
)
def scaled_out_of_reach(rollout: Rollout, *, factor: float = 10.0, spread: float = 100.0) -> Answer:
    """A hand-written loop multiplies its rewards until no critic reaches the returns.

    ## What it sees
    The factor that rewards have in the targets of the critic, read off its gradients: `factor` or more, with which the
    targets have a standard deviation above `spread`.

    ## Why it is bad
    The output of a fresh network is of the order of 1, and an optimizer such as Adam moves it by little more than its
    learning rate a step, so that the critic needs tens of thousands of steps to come near. Until then there is no
    baseline, and with a shared limit on the gradient's norm the critic's share leaves nothing of the policy's.

    ## What to do
    1. Scale rewards so that returns have a standard deviation near 1: divide by it, or use a running normaliser.
    2. Check whether the factor was meant to divide.

    ## How to prove it
    Print the standard deviation of values and targets: after a few updates they should be alike.

    ## When it is wrong
    Rewards that are large by themselves, and small ones that are scaled up to the order of 1, are not reported.

    ## References
    Henderson et al., Deep reinforcement learning that matters (2018), reward scale; Andrychowicz et al., What matters
    for on-policy deep actor-critic methods? (2021).
    """
    part = rollout.recovered
    judged = [each for each in part.values if each.targets is not None] if part is not None else []
    if not judged:
        return CannotTell(("recovered",), "no critic's targets could be read")
    found = (_judge(each, factor, spread) for each in judged)
    return answer_with(each for each in found if each is not None)


def _judge(part: RecoveredValues, factor: float, spread: float) -> Finding | None:
    known = np.asarray(part.targets, np.float64)
    known = known[np.isfinite(known)]
    size = float(known.std()) if known.size else 0.0
    if not part.scale >= factor or not size > spread:
        return None
    return Finding(
        message=f"The targets at {part.head} are made of rewards times {part.scale:.4g} and have a standard deviation "
        f"of {size:,.0f}, {size / part.scale:.3g} without that factor: far from the order of 1 that a network gives.",
        confidence=HIGH,
        evidence=(Evidence(metric="factor of the rewards", value=part.scale, limit=factor),),
    )
