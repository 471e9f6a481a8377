from __future__ import annotations

from weaklink.base.evidence.recovered import RecoveredPolicy
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer rows do not show how far advantages are spread
FEWEST_ROWS = 64

# what the loss of a policy may leave of the gradients at its head: one that leaves most of them is none
EXPLAINED = 0.05

# what ratios and clipping leave of a spread of 1
NEAR_ONE = 0.15

# times the spread of advantages that are as large as rewards make them
OUTWEIGHS = 1.0


@rule(
    "EXP203",
    link=Link.EXPLORATION,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("EXP303", "POL302", "POL308", "REW301", "REW302", "REW304"),
)
def entropy_outweighs(
    rollout: Rollout, *, share: float = 0.25, even: float = 0.95, update: int = 10, early: int = 2
) -> Answer:
    """The entropy bonus outweighs the advantages, and the policy stays uniform.

    ## What it sees
    The weight of the entropy bonus and the weights of the rows, both read off the gradient at the logits. The bonus
    weighs more than `share` of the spread of the rows' weights, and the policy still has more than `even` of the
    entropy of a uniform one. Advantages that are normalised have the same spread in every update and are judged from
    the `early`-th on. Others may be small for a while, where rewards are seldom: they are judged from the `update`-th
    on, and the bonus must outweigh all of their spread.

    ## Why it is bad
    The policy that maximises return plus bonus is a softmax of the advantages over the weight of the bonus. With a
    weight as large as the advantages it is close to uniform, whatever is learned.

    ## What to do
    1. Lower the entropy coefficient; 0.0 to 0.02 is usual for advantages with a spread of 1.
    2. Normalise advantages, so that the coefficient has the same meaning in every task.

    ## How to prove it
    Set the coefficient to zero: the entropy must fall.

    ## When it is wrong
    A maximum-entropy method wants such a bonus; there the policy does leave the uniform one.

    ## References
    Mnih et al., Asynchronous methods for deep reinforcement learning (2016); Andrychowicz et al., What matters for
    on-policy deep actor-critic methods? (2021).
    """
    part = rollout.recovered
    known = [each for each in part.policies if _is_known(each)] if part is not None else []
    number = 0 if part is None else part.number
    judged = [each for each in known if number >= (early if _is_normalised(each) else update)]
    if not judged:
        return CannotTell(("recovered",), "no entropy bonus could be read of a later update")
    limits = [(each, share if _is_normalised(each) else OUTWEIGHS) for each in judged]
    return answer_with(each for each in (_judge(policy, limit, even) for policy, limit in limits) if each is not None)


def _is_normalised(part: RecoveredPolicy) -> bool:
    """Whether the weights of rows have the spread that normalised advantages have."""
    return abs((part.weight_spread or 0.0) - 1.0) < NEAR_ONE


def _is_known(part: RecoveredPolicy) -> bool:
    known = part.entropy_weight is not None and part.evenness is not None and bool(part.weight_spread)
    return known and part.weighed >= FEWEST_ROWS and (part.unexplained or 0.0) < EXPLAINED


def _judge(part: RecoveredPolicy, share: float, even: float) -> Finding | None:
    bonus, spread, evenness = part.entropy_weight or 0.0, part.weight_spread or 1.0, part.evenness or 0.0
    if bonus <= share * spread or evenness <= even:
        return None
    return Finding(
        message=f"The loss at {part.head} weighs the entropy with {bonus:.3g} where advantages have a spread of "
        f"{spread:.3g}, and the policy still has {evenness:.0%} of the entropy of a uniform one.",
        confidence=HIGH,
        evidence=(Evidence(metric="weight of the entropy bonus", value=bonus, limit=share * spread),),
    )
