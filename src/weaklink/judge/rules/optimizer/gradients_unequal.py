from __future__ import annotations

from weaklink.base.evidence.ranks import Ranks
from weaklink.judge.rules._ranks import Replicas, find_replicas, say_ranks
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# the cosine from which on two gradients are one, scaled: sketches of the same tensor differ by rounding alone
PROPORTIONAL = 1.0 - 1e-6


@rule("OPT401", link=Link.OPTIMIZER, level=Level.ERROR, on=Ranks, needs=("looks",), leads_to=("OPT402", "OPT403"))
def gradients_unequal(ranks: Ranks) -> Answer:
    """Ranks of one training step with unequal gradients.

    ## What it sees
    Fingerprints that each rank took of its gradients just before the same step of the same optimizer. Ranks that hold
    copies of one model must step with the same gradient, bit for bit: they are reduced over all ranks before. Copies
    are known by DistributedDataParallel around them, by equal weights before the first step, or by gradients that are
    equal at other steps.

    ## Why it is bad
    Each rank walks away on its own data. The weights drift apart, only those of rank 0 are saved, and the work of all
    other ranks is lost; rewards and losses of rank 0 look like those of a small batch.

    ## What to do
    1. Call the wrapped model in the loss, not `model.module`: the hooks that reduce are set in the wrapper's forward.
    2. Leave `no_sync()` before the backward pass that comes right before the step.
    3. Without a wrapper, average every gradient (`all_reduce`, then divide by the number of ranks) before the step, on
       every rank and for every parameter.
    4. Clip and scale gradients after the reduction, and on every rank alike.

    ## How to prove it
    Print the sum of one gradient on every rank right before `optimizer.step()`: the numbers must be equal.

    ## When it is wrong
    Ranks that train apart on purpose and began with the same weights: populations, ensembles, local SGD by hand. Ignore
    the rule there. FSDP, ZeRO, DTensor and tensor parallelism are not compared, nor are gradients between steps of an
    accumulation; differences by rounding alone are allowed for.

    ## References
    PyTorch documentation, Distributed Data Parallel, internal design; Li et al., PyTorch Distributed, VLDB 2020.
    """
    replicas = find_replicas(ranks)
    if isinstance(replicas, CannotTell):
        return replicas
    seen = [one for one in replicas if one.alike and all(look.gradients for look in one.looks.values())]
    if not seen:
        return CannotTell(("looks",), "the optimizers work gradients out by themselves")
    for one in seen:
        odd = one.find_odd("gradients")
        if odd:
            usual = one.find_usual(odd)
            distance = one.measure_distance("gradients", odd[0], usual)
            if distance > one.allow_for_rounding("gradients"):
                return _report(ranks, one, odd, usual, distance)
    return None


def _report(ranks: Ranks, one: Replicas, odd: tuple[int, ...], usual: int, distance: float) -> Finding:
    names = ranks.get_names(one.looks[usual].optimizer)
    where = one.name_parameters("gradients", odd[0], usual, names)
    return Finding(
        message=f"{say_ranks(odd)} and rank {usual} make step {one.step:,} of {one.looks[usual].kind} with unequal "
        f"gradients{where}: {_explain(one, odd[0], usual, distance, where)}.",
        level=Level.ERROR if one.wrapped else Level.WARN,
        onset=one.at,
        confidence=HIGH if one.wrapped else MEDIUM,
        evidence=(
            Evidence(
                metric="distance of gradients between ranks",
                value=min(distance, 1e9),
                limit=one.allow_for_rounding("gradients"),
                step=one.at,
            ),
        ),
    )


def _explain(one: Replicas, odd: int, usual: int, distance: float, where: str) -> str:
    lacking = _lacks_gradient(one, odd, usual)
    if not all(look.reduces for look in one.looks.values()):
        return "DistributedDataParallel was told not to reduce them (`no_sync`)"
    if lacking:
        return f"rank {lacking[0]} has no gradient there, and rank {lacking[1]} has"
    if one.measure_similarity("gradients", odd, usual) > PROPORTIONAL:
        left, right = one.looks[odd].get_sketch("gradients"), one.looks[usual].get_sketch("gradients")
        if left is not None and right is not None:
            share = float((left @ right) / (right @ right))
            return f"those of rank {odd} are {share:.3g} times the others, clipped or scaled on this rank alone"
    if where:
        return "these were not reduced with the rest"
    apart = f"they are {distance:.0%} apart" if distance < 1e3 else "they are far apart"
    if one.wrapped:
        return f"{apart}, though DistributedDataParallel holds them: backward went past it, or under `no_sync`"
    return f"{apart}, and nothing averages them over the ranks"


def _lacks_gradient(one: Replicas, odd: int, usual: int) -> tuple[int, int] | None:
    """Which of two ranks lacks a gradient that the other has, and the other."""
    left, right = one.looks[odd].gradients, one.looks[usual].gradients
    for mine, theirs in zip(left, right, strict=False):
        if bool(mine) != bool(theirs):
            return (odd, usual) if theirs else (usual, odd)
    return None
