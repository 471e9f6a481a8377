from __future__ import annotations

from weaklink.base.evidence.recovered import ATOMS
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL210",
    link=Link.VALUE,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL301", "VAL302", "VAL304", "VAL305", "REW301", "REW302", "REW304"),
)
def narrow_support(rollout: Rollout, *, share: float = 0.15) -> Answer:
    """The support of a categorical value distribution is too narrow for the returns.

    ## What it sees
    How the targets of a categorical distribution (C51) are made of rewards and next distributions, read off the
    gradient at its atoms. More than `share` of them lie beyond the first or the last atom, and are put there.

    ## Why it is bad
    Everything beyond the support looks alike. The distributions pile up at the outermost atom, all actions seem to be
    worth the same, and the better the policy gets the less its values can tell.

    ## What to do
    1. Choose v_min and v_max so that they include the smallest and the largest discounted return: for a reward of r in
       every step that is r / (1 - gamma).
    2. Or scale the rewards down.

    ## How to prove it
    Compare v_max with the discounted returns of some episodes, and print the probability of the last atom.

    ## When it is wrong
    Early in a training distributions spread over all atoms, so that a few per cent of the targets lie beyond the
    support of any trainer.

    ## References
    Bellemare, Dabney and Munos, A distributional perspective on reinforcement learning (2017).
    """
    part = rollout.recovered
    judged = [each for each in part.values if each.kind == ATOMS and each.gamma is not None] if part else []
    if not judged:
        return CannotTell(("recovered",), "no categorical value distribution was read")
    return answer_with(
        Finding(
            message=f"{each.beyond:.0%} of the targets at {each.head} lie beyond the first or the last atom of its "
            f"support (limit {share:.0%}) and are put there: the support is too narrow for the returns.",
            confidence=HIGH,
            evidence=(Evidence(metric="targets beyond the support", value=each.beyond, limit=share),),
        )
        for each in judged
        if each.beyond > share
    )
