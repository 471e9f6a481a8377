from __future__ import annotations

from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredValues
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL203",
    link=Link.VALUE,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "REW301", "REW302", "REW304"),
)
def targets_not_per_row(rollout: Rollout) -> Answer:
    """The critic's loss pulls every value towards one and the same number, or pushes it away from its target.

    ## What it sees
    The target of every row, read off the gradient of the critic's loss. Reported is one number for all rows of a
    minibatch, where rewards differ or the next minibatch has another number; and a loss whose gradient drives values
    away from the targets.

    ## Why it is bad
    A critic that learns one constant gives no baseline, and its loss still falls. One that is driven away diverges.

    ## What to do
    1. Give values and targets the same shape before the loss: (256, 1) against (256,) compares all pairs.
    2. Minimise the squared error, with a positive weight.

    ## How to prove it
    Print the shapes of values and targets right before the loss, and the sign of its weight.

    ## When it is wrong
    Where every row is worth the same, as with a constant reward and a gamma of 0, all minibatches have the same number
    and nothing is reported.

    ## References
    RLinf issue #1568; PyTorch documentation, broadcasting semantics.
    """
    part = rollout.recovered
    judged = [each for each in part.values if each.weight is not None] if part is not None else []
    if not judged:
        return CannotTell(("recovered",), "no critic's targets could be read")
    return answer_with(each for each in map(_judge, judged) if each is not None)


def _judge(part: RecoveredValues) -> Finding | None:
    if part.weight is not None and part.weight < 0.0:
        return Finding(
            message=f"The loss at {part.head} pushes values away from their targets (weight {part.weight:.3g}).",
            confidence=HIGH,
            evidence=(Evidence(metric="weight of the critic's loss", value=part.weight, limit=0.0),),
        )
    if not part.all_alike or part.kind != STATE_VALUES:
        return None
    return Finding(
        message=f"The loss at {part.head} pulls all values of a minibatch towards one number instead of a target for "
        "each row, as when (rows, 1) meets (rows,) and every value is compared with every target.",
        confidence=HIGH,
        evidence=(Evidence(metric="unexplained by one number", value=part.unexplained or 0.0, limit=0.0),),
    )
