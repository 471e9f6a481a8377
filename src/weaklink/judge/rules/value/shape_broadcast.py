from __future__ import annotations

from math import prod

from weaklink.base.evidence.rollout import LossCall, Rollout
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule

# tensors with this many axes each are compared pairwise on purpose, like quantiles with quantiles
PAIRWISE = 3


@rule(
    "VAL201",
    link=Link.VALUE,
    level=Level.ERROR,
    on=Rollout,
    needs=("losses",),
    leads_to=("VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "REW301", "REW302", "REW304"),
)
def shape_broadcast(rollout: Rollout) -> Answer:
    """Tensors of different shape meet in a loss, and broadcasting compares every row with every other.

    ## What it sees
    The shapes of the tensors in a loss. Both have the same number of elements, but one has an additional axis, as in
    (256, 1) and (256,): their difference has 65,536 entries instead of 256. Or each row has one prediction and several
    targets, as in (256, 1) and (256, 6).

    ## Why it is bad
    The loss is smallest when every prediction is the mean of the batch. The critic learns one constant, its loss falls
    and levels out, and no error is raised.

    ## What to do
    1. Give both the same shape before the loss: `values.flatten()`, `targets.reshape(values.shape)`.
    2. Assert it: `assert values.shape == targets.shape`.

    ## How to prove it
    Print both shapes right before the loss. PyTorch warns once with "Using a target size that is different to the
    input size".

    ## When it is wrong
    Losses that compare all pairs on purpose (quantile or contrastive losses) have the same number of axes on both sides
    and are not reported. An ensemble has several predictions and one target a row.

    ## References
    RLinf issue #1568; Tianshou issue #40; PyTorch documentation, broadcasting semantics.
    """
    wrong = [call for call in rollout.losses or () if _is_enlarged(call)]
    if not wrong:
        several = [call for call in rollout.losses or () if _has_several_targets(call)]
        return _describe_several(several[0]) if several else None
    call = wrong[0]
    rows, pairs = prod(call.left), prod(_broadcast_shapes(call.left, call.right) or ())
    more = f" (and in {len(wrong) - 1} more losses)" if len(wrong) > 1 else ""
    return Finding(
        message=f"{call.name} compares {_format(call.left)} with {_format(call.right)}: {pairs:,} pairs instead of "
        f"{rows:,} rows{more}.",
        confidence=HIGH,
        evidence=(Evidence(metric="compared numbers", value=float(pairs), limit=float(rows)),),
    )


def _has_several_targets(call: LossCall) -> bool:
    """Whether each row has one prediction and several targets; the other way round it is an ensemble."""
    left, right = call.left, call.right
    return len(left) == len(right) == 2 and left[0] == right[0] > 1 and left[1] == 1 < right[1]


def _describe_several(call: LossCall) -> Finding:
    return Finding(
        message=f"{call.name} compares {_format(call.left)} with {_format(call.right)}: each of {call.left[0]:,} "
        f"values is pulled towards the mean of {call.right[1]:,} targets, as when the log-probabilities of the "
        "dimensions of an action are not summed.",
        confidence=HIGH,
        fix=("Sum over the dimensions of the action, so that each row has one target.",),
        evidence=(Evidence(metric="targets of a row", value=float(call.right[1]), limit=1.0),),
    )


def _is_enlarged(call: LossCall) -> bool:
    """Whether both sides have the same number of elements, and broadcasting makes more of them."""
    left, right = call.left, call.right
    if left == right or prod(left) != prod(right) or prod(left) < 2:
        return False
    if len(left) == len(right) >= PAIRWISE:
        return False
    joined = _broadcast_shapes(left, right)
    return joined is not None and prod(joined) > prod(left)


def _broadcast_shapes(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that broadcasting gives; None where it would raise."""
    length = max(len(left), len(right))
    first, second = ((1,) * (length - len(shape)) + tuple(shape) for shape in (left, right))
    if any(one != other and 1 not in (one, other) for one, other in zip(first, second, strict=True)):
        return None
    return tuple(max(one, other) for one, other in zip(first, second, strict=True))


def _format(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
