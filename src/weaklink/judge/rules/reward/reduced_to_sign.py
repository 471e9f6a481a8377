from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import CUT_REWARDS
from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredFlaw
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW202",
    link=Link.REWARD,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL301", "POL302", "REW301", "REW302", "REW304"),
)
def reduced_to_sign(rollout: Rollout) -> Answer:
    """A hand-written loop learns from the signs of its rewards, or cuts most of them off, though they have many sizes.

    ## What it sees
    The targets of the critic, read off its gradients, beside the rewards that the environments gave. No factor of the
    rewards explains the targets, not even another one at every step, and the signs of the rewards do, exactly, or
    rewards that are cut off at one number beyond which a quarter of them or more lie. Those have 32 or more different
    sizes.

    ## Why it is bad
    A step that costs little and one that costs much are the same to the critic. Where nearly all rewards have one sign,
    as distances and costs have, the reward becomes a constant, and only the length of episodes is left to be learned.

    ## What to do
    1. Divide rewards by a running standard deviation, or clip only what is far outside.
    2. Keep signs for games whose points have a few sizes.

    ## How to prove it
    Print the rewards of one rollout as the environment gave them and as they are learned from.

    ## When it is wrong
    Where the sizes of a dense reward are left out on purpose.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning (2015), on clipping the rewards of games; van
    Hasselt et al., Learning values across many orders of magnitude (2016).
    """
    part = rollout.recovered
    critics = [each for each in part.values if each.kind == STATE_VALUES] if part else []
    if part is None or all(each.gamma is None and each.targets is None for each in critics):
        return CannotTell(("recovered",), "no critic's targets could be read")
    return answer_with(_describe(flaw) for flaw in part.flaws if flaw.kind == CUT_REWARDS)


def _describe(flaw: RecoveredFlaw) -> Finding:
    made = "the signs of the rewards"
    if flaw.number:
        made = f"rewards that are cut off at {flaw.number:g}, beyond which {flaw.other:.0%} of them lie,"
    return Finding(
        message=f"The targets at {flaw.head} are made of {made} in {flaw.count:,} rows: the sizes of rewards are lost.",
        confidence=HIGH,
        evidence=(Evidence(metric="rewards cut off", value=flaw.other, limit=0.0),),
    )
