from __future__ import annotations

from weaklink.base.evidence.ranks import Ranks
from weaklink.judge.rules._ranks import Replicas, find_replicas, say_ranks
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# of this optimizer each rank holds the state of its own share of the parameters
SPREAD = "ZeroRedundancy"


@rule("OPT403", link=Link.OPTIMIZER, level=Level.ERROR, on=Ranks, needs=("looks",), leads_to=("OPT402",))
def optimizer_state_unequal(ranks: Ranks) -> Answer:
    """Ranks of one training hold unequal optimizer states.

    ## What it sees
    Fingerprints that each rank took of its optimizer's state (moments, momentum, counts of steps) after the same step,
    while the gradients were equal on all ranks up to it. Equal gradients make equal states out of equal states.

    ## Why it is bad
    The same gradient moves each rank by another step, so the weights drift apart without any sign in the gradients.

    ## What to do
    1. Load the optimizer's state on every rank, not on rank 0 alone: DistributedDataParallel broadcasts weights and
       never the state of an optimizer.
    2. Make the optimizer with the same settings (betas, momentum) on every rank.
    3. Reset the state on every rank at the same step, or on none.

    ## How to prove it
    Print the first entry of `optimizer.state` on every rank before the first step after loading.

    ## When it is wrong
    Optimizers that spread their state over the ranks on purpose; ZeroRedundancyOptimizer, FSDP and DeepSpeed are known
    and not compared.

    ## References
    PyTorch documentation, Distributed Data Parallel; Rajbhandari et al., ZeRO, SC 2020.
    """
    replicas = find_replicas(ranks)
    if isinstance(replicas, CannotTell):
        return replicas
    whole = [one for one in replicas if not any(SPREAD in look.kind for look in one.looks.values())]
    seen = [one for one in whole if one.alike and not _is_set_apart(one) and _has_gradients(one)]
    if not seen:
        return CannotTell(("looks",), "the optimizers of the ranks hold other things, or gradients were not seen")
    for one in seen:
        if one.find_odd("gradients"):
            return None  # then it follows from them
        found = _judge(one)
        if found is not None:
            return found
    return None


def _has_gradients(one: Replicas) -> bool:
    """Whether gradients were looked at: where they were not, they may be why states differ."""
    return all(look.gradients for look in one.looks.values())


def _is_set_apart(one: Replicas) -> bool:
    """Whether the optimizers' settings differ, which makes their states differ."""
    return any(look.settings != one.looks[min(one.looks)].settings for look in one.looks.values())


def _judge(one: Replicas) -> Finding | None:
    counts = {rank: look.counted for rank, look in one.looks.items() if look.counted}
    odd = one.find_odd("counted") if len(counts) == len(one.looks) else ()
    reason = ""
    if odd:
        usual = one.find_usual(odd)
        reason = f"rank {odd[0]} counts {counts[odd[0]][1]:,.0f} steps and rank {usual} {counts[usual][1]:,.0f}"
        distance = abs(counts[odd[0]][1] - counts[usual][1])
        limit = 0.0
    else:
        odd = one.find_odd("state")
        if not odd:
            return None
        usual = one.find_usual(odd)
        distance, limit = one.measure_distance("state", odd[0], usual), one.allow_for_rounding("state")
        if distance <= limit:
            return None
        reason = f"they are {distance:.2g} of their size apart" if distance < 1e3 else "they cannot be compared"
    return Finding(
        message=f"{say_ranks(odd)} and rank {usual} hold unequal states of {one.looks[usual].kind} after its step "
        f"{one.step:,}, though their gradients are equal: {reason}.",
        level=Level.ERROR if one.wrapped else Level.WARN,
        onset=one.at,
        confidence=HIGH if one.wrapped else MEDIUM,
        evidence=(
            Evidence(
                metric="distance of optimizer states between ranks", value=min(distance, 1e9), limit=limit, step=one.at
            ),
        ),
    )
