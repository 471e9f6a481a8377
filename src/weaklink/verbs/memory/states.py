"""What a model keeps whether or not it is at work: weights, gradients, states of the optimizer."""

from __future__ import annotations

import msgspec

from weaklink.verbs.memory.plan import MemoryPlan, Optimizer, Sharding, StepKernel
from weaklink.verbs.memory.shape import ModelShape

MASTER_BYTES = 4
ADAPTER_BYTES = 4
"""PEFT keeps adapters in 32 bits whatever the base is in."""

CONSTANT_BLOCK = {8: 0.0, 4: 64}
"""How many weights share one constant of 32 bits (bitsandbytes, without double quantisation)."""

STATE_BLOCK = 256
"""How many states of 8 bits share one constant of 32 bits (bitsandbytes)."""

LOOP_COPIES = 2
"""Copies of a parameter that a step of AdamW makes where it takes one at a time: the root, and that with epsilon."""


class ModelStates(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes on one device. `step` is what an optimizer step needs for a moment; `copies` what autocast makes."""

    weights: float
    gradients: float = 0.0
    optimizer: float = 0.0
    step: float = 0.0
    copies: float = 0.0


def compute_trained(shape: ModelShape, plan: MemoryPlan, *, head: bool = True) -> ModelStates:
    """A model in training; `head` is False for one with a single value instead of the words."""
    whole = shape.parameters - (0 if head or shape.tied else shape.table)
    divided = plan.devices if plan.weights_divided else 1
    copies = shape.linear + (shape.table if head else 0)
    copies_needed = plan.compute_bytes < plan.weight_bytes and not plan.weights_divided
    copied = copies * plan.compute_bytes if copies_needed else 0.0
    if plan.lora_rank:
        adapters = count_adapter_parameters(shape, plan)
        weights = compute_base_bytes(shape, plan, whole) + adapters * ADAPTER_BYTES
        kept = _compute_training_bytes(
            plan, adapters, ADAPTER_BYTES, 4, master=False, rows=adapters / max(1, plan.lora_rank)
        )
        largest = max(matrix.inputs * plan.lora_rank for matrix in shape.matrices())
        step = _compute_step_bytes(plan, adapters, largest, 4)
    else:
        weights = whole * plan.weight_bytes
        master = plan.precision == "mixed"
        rows = sum(m.inputs + m.outputs for m in shape.matrices()) * shape.layers + 2 * shape.vocabulary
        kept = _compute_training_bytes(plan, whole, plan.weight_bytes, plan.state_bytes, master=master, rows=rows)
        step = _compute_step_bytes(plan, whole, shape.table, plan.state_bytes)
    return ModelStates(weights=weights / divided, gradients=kept[0], optimizer=kept[1], step=step, copies=copied)


def compute_frozen(parameters: float, plan: MemoryPlan) -> ModelStates:
    """A model that is only asked, with weights of 16 bits unless everything has 32."""
    divided = plan.devices if plan.weights_divided else 1
    return ModelStates(weights=parameters * plan.compute_bytes / divided)


def count_adapter_parameters(shape: ModelShape, plan: MemoryPlan) -> float:
    """What LoRA trains: two thin matrices beside each of its targets (Hu et al. 2021)."""
    targets = [matrix for matrix in shape.matrices() if matrix.name in plan.lora_targets]
    return shape.layers * sum(m.copies * plan.lora_rank * (m.inputs + m.outputs) for m in targets)


def compute_base_bytes(shape: ModelShape, plan: MemoryPlan, whole: float) -> float:
    """The frozen base: the matrices of the layers quantised, everything else as it was."""
    if plan.base_bits == 16:
        return whole * plan.weight_bytes
    block = CONSTANT_BLOCK[plan.base_bits]
    constants = 4 / block if block else 0.0
    return shape.linear * (plan.base_bits / 8 + constants) + (whole - shape.linear) * plan.compute_bytes


def _compute_training_bytes(
    plan: MemoryPlan, parameters: float, weight_bytes: int, state_bytes: int, *, master: bool, rows: float
) -> tuple[float, float]:
    """Gradients and states, each divided as the sharding says (Rajbhandari et al. 2019)."""
    states = {
        Optimizer.ADAMW: 2.0 * state_bytes * parameters,
        Optimizer.ADAMW_8BIT: 2.0 * (1 + 4 / STATE_BLOCK) * parameters,
        Optimizer.SGD: 0.0,
        Optimizer.MOMENTUM: float(state_bytes) * parameters,
        Optimizer.ADAFACTOR: 4.0 * rows,
    }[plan.optimizer]
    if master:
        states += MASTER_BYTES * parameters
    if "optimizer" in plan.offload:
        states = 0.0
    share = {Sharding.NONE: (1, 1), Sharding.ZERO1: (1, plan.devices)}
    gradients_by, states_by = share.get(plan.sharding, (plan.devices, plan.devices))
    return weight_bytes * parameters / gradients_by, states / states_by


def _compute_step_bytes(plan: MemoryPlan, parameters: float, largest: float, state_bytes: int) -> float:
    if "optimizer" in plan.offload or plan.step_kernel is StepKernel.FUSED:
        return 0.0
    share = 1 if plan.sharding is Sharding.NONE else plan.devices
    if plan.optimizer is Optimizer.ADAMW and plan.step_kernel is StepKernel.FOREACH:
        return state_bytes * parameters / share
    if plan.optimizer is Optimizer.ADAMW or plan.optimizer is Optimizer.ADAFACTOR:
        return LOOP_COPIES * 4 * min(largest, parameters) / share
    return 0.0
