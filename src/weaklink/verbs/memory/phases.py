"""The moments of a training at which memory peaks: generating, scoring, learning, stepping."""

from __future__ import annotations

import msgspec

from weaklink.verbs.memory import activations
from weaklink.verbs.memory.plan import Attention, MemoryPlan, Precision, Sharding
from weaklink.verbs.memory.shape import ModelShape
from weaklink.verbs.memory.states import ModelStates, compute_frozen, compute_trained

INTEGER = 8
FP32 = 4
SAMPLING_COPIES = 3
"""Copies of the logits of the last token in 32 bits: themselves, scaled, and as probabilities."""

WORKSPACE = 64 * 2**20
"""What cuBLAS takes for its own sums on a recent device, through torch's allocator."""


class MemoryPart(msgspec.Struct, frozen=True):
    """What something takes, in bytes."""

    name: str
    bytes: float


class MemoryPhase(msgspec.Struct, frozen=True):
    """One phase at its highest moment."""

    name: str
    parts: tuple[MemoryPart, ...]

    @property
    def bytes(self) -> float:
        """All parts taken together."""
        return sum(part.bytes for part in self.parts)


class ResidentModels(msgspec.Struct, frozen=True, kw_only=True):
    """The models, as they lie on the device whatever is going on."""

    actor: ModelStates
    critic: ModelStates
    parts: tuple[MemoryPart, ...]


def compute_phases(shape: ModelShape, plan: MemoryPlan) -> tuple[MemoryPhase, ...]:
    """All phases of this training; generating is left out where something else does it."""
    resident = _compute_resident(shape, plan)
    found = [_compute_scoring(shape, plan, resident), _compute_training(shape, plan, resident), _update(plan, resident)]
    if plan.generate:
        found.insert(0, _compute_generation(shape, plan, resident))
    return tuple(found)


def _compute_resident(shape: ModelShape, plan: MemoryPlan) -> ResidentModels:
    actor = compute_trained(shape, plan)
    critic = compute_trained(shape, plan, head=False) if plan.critic else ModelStates(weights=0.0)
    own_reference = plan.reference and not plan.lora_rank and "reference" not in plan.offload
    reference = compute_frozen(shape.parameters, plan).weights if own_reference else 0.0
    reward = 0.0 if "reward" in plan.offload else compute_frozen(plan.reward_parameters, plan).weights
    parts = (
        MemoryPart("actor weights", actor.weights),
        MemoryPart("actor optimizer", actor.optimizer),
        MemoryPart("critic weights", critic.weights),
        MemoryPart("critic optimizer", critic.optimizer),
        MemoryPart("reference weights", reference),
        MemoryPart("reward model weights", reward),
        MemoryPart("rollouts", _compute_rollouts(plan)),
        MemoryPart("generation engine", plan.engine_memory),
        MemoryPart("workspace", float(WORKSPACE)),
    )
    return ResidentModels(actor=actor, critic=critic, parts=parts)


def _compute_rollouts(plan: MemoryPlan) -> float:
    """Ids and mask of all tokens; log-probabilities, and a critic's numbers, of those of the completion."""
    numbers = 1 + plan.reference + 3 * plan.critic
    return plan.rollouts * (plan.sequence * 2 * INTEGER + plan.completion * numbers * FP32)


def _compute_generation(shape: ModelShape, plan: MemoryPlan, resident: ResidentModels) -> MemoryPhase:
    batch, wide = plan.generation_batch, plan.kv_bits / 8
    if plan.precision is Precision.FP32:
        wide = max(wide, FP32)
    cache = 2 * shape.layers * shape.kv_width * wide * batch
    sampling = batch * shape.vocabulary * SAMPLING_COPIES * FP32
    reading = batch * plan.prompt * activations.forward_working(shape, plan)
    expanded = 0 if plan.attention is Attention.FLASH or shape.heads == shape.kv_heads else 2 * shape.attention_width
    writing = batch * plan.sequence * (expanded + shape.kv_width) * plan.compute_bytes + sampling
    if cache * plan.prompt + reading > cache * plan.sequence + writing:
        cached, working = cache * plan.prompt, reading
    else:
        cached, working = cache * plan.sequence, writing
    return _make_phase(
        "generation",
        resident,
        MemoryPart("kv cache", cached),
        MemoryPart("working", working),
        MemoryPart("weights for arithmetic", resident.actor.copies + _compute_gathered_whole(shape, plan)),
        MemoryPart("gradients", _compute_standing_gradients(plan, resident)),
    )


def _compute_scoring(shape: ModelShape, plan: MemoryPlan, resident: ResidentModels) -> MemoryPhase:
    rows = plan.scored_at_once
    passing = rows * plan.sequence * activations.forward_working(shape, plan)
    logits = rows * plan.scored * activations.compute_scoring_logits(shape, plan)
    return _make_phase(
        "log-probabilities",
        resident,
        MemoryPart("models brought back", _compute_largest_offloaded(shape, plan)),
        MemoryPart("working", passing if passing > logits else 0.0),
        MemoryPart("logits", logits if logits >= passing else 0.0),
        MemoryPart("weights for arithmetic", resident.actor.copies + _compute_gathered_layers(shape, plan)),
        MemoryPart("gradients", _compute_standing_gradients(plan, resident)),
    )


def _compute_training(shape: ModelShape, plan: MemoryPlan, resident: ResidentModels) -> MemoryPhase:
    """The highest of three moments: at the logits, in the last layer, and where all gradients are there."""
    tokens, models = plan.micro_batch * plan.sequence, 1 + plan.critic
    layer, working = activations.compute_layer(shape, plan), activations.compute_layer_working(shape, plan)
    kept = activations.compute_layer_input(shape, plan) if plan.checkpointing else layer
    saved = tokens * models * (shape.layers * kept + activations.compute_last_norm(shape, plan))
    logits = plan.micro_batch * plan.scored * activations.compute_training_logits(shape, plan)
    within = tokens * (working + (layer if plan.checkpointing else 0.0))
    gradients = resident.actor.gradients + resident.critic.gradients
    copies = resident.actor.copies + resident.critic.copies
    early = gradients if plan.gradients_kept else 0.0
    moments = [
        {"activations": saved, "logits": logits, "gradients": early, "weights for arithmetic": copies},
        {"activations": saved, "working": within, "gradients": early, "weights for arithmetic": copies},
        {"activations": tokens * layer, "working": tokens * working, "gradients": gradients},
    ]
    highest = max(moments, key=lambda moment: sum(moment.values()))
    gathered = _compute_gathered_layers(shape, plan)
    if plan.base_bits < 16:
        gathered += max(matrix.inputs * matrix.outputs for matrix in shape.matrices()) * plan.compute_bytes
    highest["weights for arithmetic"] = highest.get("weights for arithmetic", 0.0) + gathered
    return _make_phase("training", resident, *(MemoryPart(name, size) for name, size in highest.items()))


def _update(plan: MemoryPlan, resident: ResidentModels) -> MemoryPhase:
    """One optimizer steps over actor and critic together."""
    return _make_phase(
        "optimizer step",
        resident,
        MemoryPart("gradients", resident.actor.gradients + resident.critic.gradients),
        MemoryPart("working", resident.actor.step + resident.critic.step),
    )


def _compute_largest_offloaded(shape: ModelShape, plan: MemoryPlan) -> float:
    """The larger of the models that lie in host memory and are asked one after the other."""
    reference = shape.parameters if plan.reference and not plan.lora_rank and "reference" in plan.offload else 0.0
    reward = plan.reward_parameters if "reward" in plan.offload else 0.0
    return compute_frozen(max(reference, reward), plan).weights


def _compute_standing_gradients(plan: MemoryPlan, resident: ResidentModels) -> float:
    """Gradients that stay between steps because they lie in buffers made once."""
    if plan.precision is Precision.MIXED or plan.sharding is not Sharding.NONE:
        return resident.actor.gradients + resident.critic.gradients
    return 0.0


def _compute_gathered_layers(shape: ModelShape, plan: MemoryPlan) -> float:
    """With divided weights: the layer at work and the next one, whole, or the table where that is more."""
    if not plan.weights_divided:
        return 0.0
    return max(2 * shape.layer, shape.table) * plan.compute_bytes


def _compute_gathered_whole(shape: ModelShape, plan: MemoryPlan) -> float:
    """With divided weights: all of them, since each new token would have to gather them again."""
    return shape.parameters * plan.compute_bytes if plan.weights_divided else 0.0


def _make_phase(name: str, resident: ResidentModels, *parts: MemoryPart) -> MemoryPhase:
    return MemoryPhase(name, tuple(part for part in (*resident.parts, *parts) if part.bytes > 0))
