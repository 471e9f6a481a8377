from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import TURNED_REWARDS
from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredFlaw
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW203",
    link=Link.REWARD,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL301", "POL302", "REW301", "REW302", "REW304", "TSK301"),
)
def turned_rewards(rollout: Rollout) -> Answer:
    """A hand-written loop subtracts a mean from its rewards, so that many of them change their sign.

    ## What it sees
    The targets of the critic, read off its gradients, beside the rewards that the environments gave. Nearly all of
    these have one sign, and a quarter of them or more have the other one in the targets, while terminal steps go on
    with nothing.

    ## Why it is bad
    A number that is added to every step is paid once for each step that an episode lasts. Where every step costs
    something, so that it is good to end soon, steps that cost less than the mean are paid for, and the agent stays.
    Where every step is paid, it learns to end.

    ## What to do
    1. Divide rewards by a running standard deviation and subtract nothing: `reward / std`.
    2. Normalise advantages, not rewards.

    ## How to prove it
    Print the sum of the rewards that are learned from for a short and for a long episode, beside that of the
    environment's.

    ## When it is wrong
    In tasks that never end a constant changes nothing; they are not judged. Critics that learn in units of their own
    subtract a mean from whole returns, which shows at terminal steps, and are not reported.

    ## References
    Ng, Harada and Russell, Policy invariance under reward transformations (1999); Henderson et al., Deep reinforcement
    learning that matters (2018), reward scale.
    """
    part = rollout.recovered
    critics = [each for each in part.values if each.kind == STATE_VALUES] if part else []
    if part is None or all(each.gamma is None for each in critics):
        return CannotTell(("recovered",), "no critic's targets could be read")
    return answer_with(_describe(flaw) for flaw in part.flaws if flaw.kind == TURNED_REWARDS)


def _describe(flaw: RecoveredFlaw) -> Finding:
    return Finding(
        message=f"The targets at {flaw.head} are made of rewards from which a mean was subtracted: {flaw.count:,} of "
        f"{flaw.of:,} have another sign than the environment gave them ({flaw.number:.3g} on average before, "
        f"{flaw.other:.3g} after), so that whether it is good to end an episode turns round.",
        confidence=HIGH,
        evidence=(Evidence(metric="rewards with the other sign", value=flaw.count / flaw.of, limit=0.0),),
    )
