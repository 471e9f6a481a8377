from __future__ import annotations

from weaklink.base.evidence.ranks import Ranks
from weaklink.judge.rules._ranks import Replicas, find_replicas, say_ranks
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

BEFORE, AFTER = "before", "weights"


@rule("OPT402", link=Link.OPTIMIZER, level=Level.ERROR, on=Ranks, needs=("looks",))
def weights_unequal(ranks: Ranks) -> Answer:
    """Ranks of one training hold unequal weights.

    ## What it sees
    Fingerprints that each rank took of its weights before and after the same step of the same optimizer. Ranks that
    hold copies of one model must hold the same, bit for bit. Copies are known by DistributedDataParallel around them,
    by equal weights before the first step, or by equal gradients.

    ## Why it is bad
    Gradients of one point are applied at another. The training is not that of any one model, the checkpoint of rank 0
    does not behave as what was measured on the others, and nothing brings the weights together again.

    ## What to do
    1. Where the weights differ from the start: broadcast them from rank 0 before the first step, or load the checkpoint
       on every rank before the model is wrapped.
    2. Where they differ after a step with equal gradients: give the optimizer the same parameters, learning rate and
       other settings on every rank, and step the schedule on every rank.
    3. Change weights (resets, target copies, pruning) on every rank alike.

    ## How to prove it
    Print a sum of the weights on every rank after the first step: the numbers must be equal.

    ## When it is wrong
    Ranks that train apart on purpose and began with the same weights: populations, ensembles, local SGD by hand. FSDP,
    ZeRO, DTensor and tensor parallelism are not compared, buffers such as those of batch normalisation are not looked
    at, and what devices of two kinds round differently is allowed for.

    ## References
    PyTorch documentation, Distributed Data Parallel, internal design; Li et al., PyTorch Distributed, VLDB 2020.
    """
    replicas = find_replicas(ranks)
    if isinstance(replicas, CannotTell):
        return replicas
    for one in replicas:
        for part in (BEFORE, AFTER):
            odd = one.find_odd(part)
            if not odd:
                continue
            usual = one.find_usual(odd)
            distance = one.measure_distance(part, odd[0], usual)
            if distance > one.allow_for_rounding(part):
                return _report(ranks, one, part, odd, usual, distance)
    return None


def _report(ranks: Ranks, one: Replicas, part: str, odd: tuple[int, ...], usual: int, distance: float) -> Finding:
    names = ranks.get_names(one.looks[usual].optimizer)
    where = one.name_parameters(part, odd[0], usual, names)
    apart = f"they are {distance:.2g} of their size apart" if distance < 1e3 else "they cannot be compared"
    return Finding(
        message=f"{say_ranks(odd)} and rank {usual} hold unequal weights{where} {_say_when(one, part)}: "
        f"{_explain(one, part, odd[0], usual) or apart}.",
        level=Level.ERROR if one.wrapped else Level.WARN,
        onset=one.at,
        confidence=HIGH if one.wrapped else MEDIUM,
        evidence=(
            Evidence(
                metric="distance of weights between ranks",
                value=min(distance, 1e9),
                limit=one.allow_for_rounding(part),
                step=one.at,
            ),
        ),
    )


def _say_when(one: Replicas, part: str) -> str:
    if part == BEFORE:
        return "before the first step" if one.step == 1 else f"by step {one.step:,} of the optimizer"
    return f"after step {one.step:,} of the optimizer"


def _explain(one: Replicas, part: str, odd: int, usual: int) -> str:
    left, right = one.looks[odd], one.looks[usual]
    if left.shapes != right.shapes:
        counts = f"{len(left.weights):,} on rank {odd}, {len(right.weights):,} on rank {usual}"
        return f"their optimizers hold other parameters ({counts})"
    differing = [name for name in left.settings if left.settings[name] != right.settings.get(name)]
    if differing:
        told = ", ".join(
            f"{'learning rate' if name == 'lr' else name} {left.settings[name]:g} on rank {odd} and "
            f"{right.settings.get(name, float('nan')):g} on rank {usual}"
            for name in differing[:2]
        )
        return f"their optimizers are set differently, {told}"
    if part == BEFORE and one.step == 1:
        return "they were made or loaded on each rank by itself and never broadcast"
    if one.find_odd("gradients"):
        return ""
    return "though their gradients are equal" if part == AFTER else ""
