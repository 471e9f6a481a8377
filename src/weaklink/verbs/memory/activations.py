"""What a pass through a decoder keeps for its way back, and what it needs for a moment.

The terms follow what autograd of torch saves for each operation, layer by layer (docs/memory.md lists them). All
numbers are bytes for each token unless they say otherwise.
"""

from __future__ import annotations

from weaklink.verbs.memory.plan import Attention, MemoryPlan, Precision
from weaklink.verbs.memory.shape import ModelShape
from weaklink.verbs.memory.states import ADAPTER_BYTES

FP32 = 4
BACKWARD_LOGITS = 3
"""Copies of the logits in 32 bits on the way back: log-probabilities, the gradient of them and that of the logits."""


def compute_layer(shape: ModelShape, plan: MemoryPlan) -> float:
    """Saved by one layer."""
    return (
        2 * _compute_norm(shape, plan)
        + _compute_projections(shape, plan)
        + _compute_attention(shape, plan)
        + _compute_inner(shape, plan)
    )


def compute_layer_input(shape: ModelShape, plan: MemoryPlan) -> float:
    """Saved by one layer under checkpointing."""
    return shape.hidden * plan.residual_bytes


def compute_layer_working(shape: ModelShape, plan: MemoryPlan) -> float:
    """Needed for a moment on the way back through one layer: gradients of the widest parts."""
    inner = 3 * shape.active_intermediate * plan.compute_bytes
    scores = 2 * shape.heads * plan.sequence * FP32 if plan.attention is Attention.EAGER else 0.0
    return max(inner, 4 * shape.hidden * FP32, scores) + 2 * shape.hidden * plan.residual_bytes


def forward_working(shape: ModelShape, plan: MemoryPlan) -> float:
    """Needed for a moment in a pass without a way back."""
    inner = (3 if shape.gated else 2) * shape.active_intermediate * plan.compute_bytes
    expanded = 4 * shape.attention_width * plan.compute_bytes
    scores = shape.heads * plan.sequence * (FP32 + plan.compute_bytes) if plan.attention is Attention.EAGER else 0.0
    return max(inner, expanded + scores, 3 * shape.hidden * FP32) + 2 * shape.hidden * plan.residual_bytes


def compute_last_norm(shape: ModelShape, plan: MemoryPlan) -> float:
    """Saved after the last layer, where the head reads."""
    return _compute_norm(shape, plan) + shape.hidden * plan.compute_bytes


def compute_training_logits(shape: ModelShape, plan: MemoryPlan) -> float:
    """For each token that is scored in training: log-probabilities are worked out in 32 bits."""
    return shape.vocabulary * BACKWARD_LOGITS * FP32 / plan.logit_chunks


def compute_scoring_logits(shape: ModelShape, plan: MemoryPlan) -> float:
    """For each token that is scored without a way back: logits, the same in 32 bits, log-probabilities."""
    own = plan.compute_bytes if plan.compute_bytes < FP32 else 0
    return shape.vocabulary * (own + 2 * FP32) / plan.logit_chunks


def _compute_norm(shape: ModelShape, plan: MemoryPlan) -> float:
    """The input in 32 bits; where the weight of the norm is trained, its normalised input too."""
    if shape.fused_norm:
        return shape.hidden * plan.residual_bytes
    normalised = 0 if plan.lora_rank else plan.residual_bytes
    return shape.hidden * (FP32 + normalised)


def _compute_projections(shape: ModelShape, plan: MemoryPlan) -> float:
    """Inputs of the matrices that read a norm or the attention; that of `down` belongs to the inner layer.

    Matrices that read the same input share it, unless each of them makes its own copy of another type.
    """
    groups = {("q", "k", "v"): shape.hidden, ("gate", "up") if shape.gated else ("up",): shape.hidden}
    if not plan.lora_rank:
        own_copies = plan.precision is Precision.AUTOCAST
        return sum(wide * plan.compute_bytes * (len(names) if own_copies else 1) for names, wide in groups.items())
    groups[("o",)] = shape.attention_width
    kept = 0.0
    for names, wide in groups.items():
        adapted = sum(name in plan.lora_targets for name in names)
        kept += adapted * (wide * _compute_adapter_input(plan) + plan.lora_rank * _compute_adapter_input(plan))
    return kept


def _compute_adapter_input(plan: MemoryPlan) -> int:
    """Adapters of 32 bits make their own copy of their input, unless autocast takes it down to 16."""
    return plan.compute_bytes if plan.precision is Precision.AUTOCAST else ADAPTER_BYTES


def _compute_attention(shape: ModelShape, plan: MemoryPlan) -> float:
    """Queries, keys, values and result; one number a head and token instead of the scores, but for eager."""
    keys = shape.kv_width if plan.attention is Attention.FLASH else shape.attention_width
    read = (2 * shape.attention_width + 2 * keys) * plan.compute_bytes
    if plan.attention is not Attention.EAGER:
        return read + FP32 * shape.heads
    copies = FP32 + plan.compute_bytes if plan.compute_bytes < FP32 else FP32
    return read + copies * shape.heads * plan.sequence


def _compute_inner(shape: ModelShape, plan: MemoryPlan) -> float:
    """What the activation reads and gives, and the product that `down` reads where it is trained."""
    wide = shape.active_intermediate
    kept = wide * plan.compute_bytes * (3 if shape.gated else 1)
    if not plan.lora_rank:
        kept += wide * plan.compute_bytes
    elif "down" in plan.lora_targets:
        kept += (wide + plan.lora_rank) * _compute_adapter_input(plan)
    if shape.active_experts:
        kept += shape.active_experts * shape.hidden * plan.compute_bytes + shape.experts * FP32
    return kept
