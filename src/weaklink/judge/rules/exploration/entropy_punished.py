from __future__ import annotations

from weaklink.base.evidence.recovered import RecoveredPolicy
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# a loss that leaves more of its gradients has other parts, whose gradients may look like those of an entropy
EXPLAINED = 1e-3


@rule(
    "EXP202",
    link=Link.EXPLORATION,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("EXP301", "EXP303", "EXP304", "POL301", "POL302", "POL303", "POL308", "REW302", "REW303", "REW304"),
)
def entropy_punished(rollout: Rollout, *, weight: float = 1e-4) -> Answer:
    """The entropy term of the loss lowers the entropy of the policy instead of raising it.

    ## What it sees
    The gradient of an entropy bonus has a form of its own, which differs from that of every scored action. Its weight
    is fitted over all rows: it is below -`weight`, while a coefficient of 0 or more was set, or none is known.

    ## Why it is bad
    The policy is paid for being certain. It collapses onto whichever action it tried first.

    ## What to do
    1. Subtract the bonus from the loss: `loss = policy_loss - coefficient * entropy.mean()`.
    2. Check that `entropy` is the entropy and not the mean log-probability.

    ## How to prove it
    Set the advantages to 0: the entropy must rise with every step.

    ## When it is wrong
    A coefficient that a schedule or a target entropy makes negative on purpose. Where no coefficient is known the
    finding is a warning.

    ## References
    Williams and Peng, Function optimization using connectionist reinforcement learning algorithms (1991); Mnih et al.,
    Asynchronous methods for deep reinforcement learning (2016).
    """
    part = rollout.recovered
    if part is None:
        return CannotTell(("recovered",))
    known = [each for each in part.policies if each.entropy_weight is not None and _is_explained(each)]
    if not known:
        return CannotTell(("recovered",), "no entropy term could be told from the rest of the loss")
    coefficient = part.settings.get("entropy_coefficient")
    worst = min(known, key=lambda each: each.entropy_weight or 0.0)
    found = worst.entropy_weight or 0.0
    if found > -weight or (coefficient is not None and coefficient < 0.0):
        return None
    was_set = "" if coefficient is None else f", although its coefficient was set to {coefficient:g}"
    return Finding(
        message=f"The loss at {worst.head} weighs the entropy with {found:.3g}: it lowers the entropy{was_set}.",
        level=Level.WARN if coefficient is None else Level.ERROR,
        confidence=MEDIUM if coefficient is None else HIGH,
        evidence=(Evidence(metric="weight of the entropy bonus", value=found, limit=-weight),),
    )


def _is_explained(part: RecoveredPolicy) -> bool:
    return part.unexplained is None or part.unexplained < EXPLAINED
