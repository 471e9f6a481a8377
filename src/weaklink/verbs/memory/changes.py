"""What to change where a training does not fit: what costs nothing first, what changes the training last."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from weaklink.verbs.memory.plan import MemoryPlan, Optimizer, Precision, Sharding, StepKernel

Needed = Callable[[MemoryPlan], float]

SMALLEST_SHARE = 0.01
"""A change that saves a smaller share of the peak is not worth a line."""

LORA_RANK = 16
LOGIT_CHUNKS = 8


class MemoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """One change, what it saves after those before it, and what is needed then.

    `tier` is 0 where the result stays the same up to rounding, 1 where arithmetic changes, 2 where what is learnt
    changes, 3 where it takes more devices.
    """

    change: str
    option: str
    tier: int
    saves: float
    leaves: float


def propose_changes(plan: MemoryPlan, needed: Needed, room: float | None) -> tuple[MemoryChange, ...]:
    """Changes one after the other until it fits; without a limit, what each would save on its own."""
    if room is None:
        alone = (_measure_saving(candidate, plan, needed) for candidate in _list_candidates(plan))
        kept = (change for change, _ in alone if change.saves > SMALLEST_SHARE * needed(plan))
        return tuple(sorted(kept, key=lambda change: -change.saves))
    taken: list[MemoryChange] = []
    while needed(plan) > room:
        best = _pick_best(plan, needed, room)
        if best is None:
            break
        change, plan = best
        taken.append(change)
    return tuple(taken)


def _pick_best(plan: MemoryPlan, needed: Needed, room: float) -> tuple[MemoryChange, MemoryPlan] | None:
    """Among the changes of the lowest tier that has one worth it: the smallest that is enough, else the largest."""
    least = SMALLEST_SHARE * needed(plan)
    measured = [_measure_saving(candidate, plan, needed) for candidate in _list_candidates(plan)]
    worth = [(change, after) for change, after in measured if change.saves > least]
    lowest = [pair for pair in worth if pair[0].tier == min(change.tier for change, _ in worth)]
    enough = [pair for pair in lowest if pair[0].leaves <= room]
    if enough:
        return min(enough, key=lambda pair: pair[0].saves)
    return max(lowest, key=lambda pair: pair[0].saves, default=None)


Candidate = tuple[int, str, str, dict[str, object]]


def _measure_saving(candidate: Candidate, plan: MemoryPlan, needed: Needed) -> tuple[MemoryChange, MemoryPlan]:
    tier, told, option, fields = candidate
    after = msgspec.structs.replace(plan, **fields)
    leaves = needed(after)
    return MemoryChange(change=told, option=option, tier=tier, saves=needed(plan) - leaves, leaves=leaves), after


def _list_candidates(plan: MemoryPlan) -> Iterator[Candidate]:
    yield from _list_exact(plan)
    yield from _list_arithmetic(plan)
    yield from _list_training(plan)
    if plan.devices > 1 and not plan.weights_divided:
        yield (
            0,
            f"divide weights, gradients and states among the {plan.devices} devices",
            "--sharding fsdp",
            {"sharding": Sharding.FSDP},
        )
    if plan.devices == 1:
        for devices in (2, 4, 8):
            yield (
                3,
                f"divide everything among {devices} devices",
                f"--sharding fsdp --devices {devices}",
                {
                    "sharding": Sharding.FSDP,
                    "devices": devices,
                },
            )


def _list_exact(plan: MemoryPlan) -> Iterator[Candidate]:
    if not plan.checkpointing:
        yield (
            0,
            "checkpoint the activations of each layer (about a third more time)",
            "--checkpointing",
            {"checkpointing": True},
        )
    if plan.micro_batch > 1:
        half = plan.micro_batch // 2
        more = plan.accumulation * -(-plan.micro_batch // half)
        fields: dict[str, object] = {"micro_batch": half, "accumulation": more}
        if plan.scoring_batch:
            fields["scoring_batch"] = max(1, plan.scoring_batch // 2)
        yield 0, f"micro-batches of {half}, {more} to a step", f"--micro-batch {half} --accumulation {more}", fields
    if plan.logit_chunks == 1:
        yield (
            0,
            f"work out the log-probabilities in {LOGIT_CHUNKS} chunks",
            f"--logit-chunks {LOGIT_CHUNKS}",
            {"logit_chunks": LOGIT_CHUNKS},
        )
    if plan.generate and plan.generation_batch > 1:
        half = plan.generation_batch // 2
        yield 0, f"generate {half} at a time", f"--generation-batch {half}", {"generation_batch": half}
    if plan.step_kernel is StepKernel.FOREACH and plan.optimizer is Optimizer.ADAMW:
        yield 0, "step with the fused kernel of the optimizer", "--step-kernel fused", {"step_kernel": StepKernel.FUSED}
    for thing in ("reference", "reward"):
        there = plan.reference if thing == "reference" else plan.reward_parameters > 0
        if there and thing not in plan.offload:
            yield (
                0,
                f"keep the {thing} model in host memory while it is not asked",
                f"--offload {thing}",
                {"offload": (*plan.offload, thing)},
            )


def _list_arithmetic(plan: MemoryPlan) -> Iterator[Candidate]:
    if plan.optimizer is Optimizer.ADAMW:
        yield 1, "keep the moments of AdamW in 8 bits", "--optimizer adamw-8bit", {"optimizer": Optimizer.ADAMW_8BIT}
    if plan.precision in (Precision.FP32, Precision.AUTOCAST):
        yield (
            1,
            "hold weights in bf16, states in fp32",
            "--precision bf16 --state-precision fp32",
            {
                "precision": Precision.BF16,
                "state_precision": Precision.FP32,
            },
        )


def _list_training(plan: MemoryPlan) -> Iterator[Candidate]:
    if not plan.lora_rank:
        yield (
            2,
            f"train adapters of rank {LORA_RANK} instead of all weights",
            f"--lora {LORA_RANK}",
            {"lora_rank": LORA_RANK},
        )
    if plan.lora_rank and plan.base_bits > 4:
        bits = plan.base_bits // 2
        yield 2, f"hold the frozen base in {bits} bits", f"--base-bits {bits}", {"base_bits": bits}
    if plan.completion >= 2:
        half = plan.completion // 2
        yield 2, f"completions of {half} tokens at most", f"--completion {half}", {"completion": half}
