"""The moments of a training at which memory peaks: generating, scoring, learning, stepping."""

from __future__ import annotations

import msgspec

from weaklink.verbs.memory import activations
from weaklink.verbs.memory.plan import Attention, MemoryPlan, Precision, Sharding
from weaklink.verbs.memory.shape import Shape
from weaklink.verbs.memory.states import States, frozen, trained

INTEGER = 8
FP32 = 4
SAMPLING_COPIES = 3
"""Copies of the logits of the last token in 32 bits: themselves, scaled, and as probabilities."""

WORKSPACE = 64 * 2**20
"""What cuBLAS takes for its own sums on a recent device, through torch's allocator."""


class Part(msgspec.Struct, frozen=True):
    """What something takes, in bytes."""

    name: str
    bytes: float


class Phase(msgspec.Struct, frozen=True):
    """One phase at its highest moment."""

    name: str
    parts: tuple[Part, ...]

    @property
    def bytes(self) -> float:
        """All parts taken together."""
        return sum(part.bytes for part in self.parts)


class Resident(msgspec.Struct, frozen=True, kw_only=True):
    """The models, as they lie on the device whatever is going on."""

    actor: States
    critic: States
    parts: tuple[Part, ...]


def phases(shape: Shape, plan: MemoryPlan) -> tuple[Phase, ...]:
    """All phases of this training; generating is left out where something else does it."""
    resident = _resident(shape, plan)
    found = [_scoring(shape, plan, resident), _training(shape, plan, resident), _update(plan, resident)]
    if plan.generate:
        found.insert(0, _generation(shape, plan, resident))
    return tuple(found)


def _resident(shape: Shape, plan: MemoryPlan) -> Resident:
    actor = trained(shape, plan)
    critic = trained(shape, plan, head=False) if plan.critic else States(weights=0.0)
    own_reference = plan.reference and not plan.lora_rank and "reference" not in plan.offload
    reference = frozen(shape.parameters, plan).weights if own_reference else 0.0
    reward = 0.0 if "reward" in plan.offload else frozen(plan.reward_parameters, plan).weights
    parts = (
        Part("actor weights", actor.weights),
        Part("actor optimizer", actor.optimizer),
        Part("critic weights", critic.weights),
        Part("critic optimizer", critic.optimizer),
        Part("reference weights", reference),
        Part("reward model weights", reward),
        Part("rollouts", _rollouts(plan)),
        Part("generation engine", plan.engine_memory),
        Part("workspace", float(WORKSPACE)),
    )
    return Resident(actor=actor, critic=critic, parts=parts)


def _rollouts(plan: MemoryPlan) -> float:
    """Ids and mask of all tokens; log-probabilities, and a critic's numbers, of those of the completion."""
    numbers = 1 + plan.reference + 3 * plan.critic
    return plan.rollouts * (plan.sequence * 2 * INTEGER + plan.completion * numbers * FP32)


def _generation(shape: Shape, plan: MemoryPlan, resident: Resident) -> Phase:
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
    return _phase(
        "generation",
        resident,
        Part("kv cache", cached),
        Part("working", working),
        Part("weights for arithmetic", resident.actor.copies + _gathered_whole(shape, plan)),
        Part("gradients", _standing_gradients(plan, resident)),
    )


def _scoring(shape: Shape, plan: MemoryPlan, resident: Resident) -> Phase:
    rows = plan.scored_at_once
    passing = rows * plan.sequence * activations.forward_working(shape, plan)
    logits = rows * plan.scored * activations.scoring_logits(shape, plan)
    return _phase(
        "log-probabilities",
        resident,
        Part("models brought back", _brought_back(shape, plan)),
        Part("working", passing if passing > logits else 0.0),
        Part("logits", logits if logits >= passing else 0.0),
        Part("weights for arithmetic", resident.actor.copies + _gathered_layers(shape, plan)),
        Part("gradients", _standing_gradients(plan, resident)),
    )


def _training(shape: Shape, plan: MemoryPlan, resident: Resident) -> Phase:
    """The highest of three moments: at the logits, in the last layer, and where all gradients are there."""
    tokens, models = plan.micro_batch * plan.sequence, 1 + plan.critic
    layer, working = activations.layer(shape, plan), activations.layer_working(shape, plan)
    kept = activations.layer_input(shape, plan) if plan.checkpointing else layer
    saved = tokens * models * (shape.layers * kept + activations.last_norm(shape, plan))
    logits = plan.micro_batch * plan.scored * activations.training_logits(shape, plan)
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
    gathered = _gathered_layers(shape, plan)
    if plan.base_bits < 16:
        gathered += max(matrix.inputs * matrix.outputs for matrix in shape.matrices()) * plan.compute_bytes
    highest["weights for arithmetic"] = highest.get("weights for arithmetic", 0.0) + gathered
    return _phase("training", resident, *(Part(name, size) for name, size in highest.items()))


def _update(plan: MemoryPlan, resident: Resident) -> Phase:
    """One optimizer steps over actor and critic together."""
    return _phase(
        "optimizer step",
        resident,
        Part("gradients", resident.actor.gradients + resident.critic.gradients),
        Part("working", resident.actor.step + resident.critic.step),
    )


def _brought_back(shape: Shape, plan: MemoryPlan) -> float:
    """The larger of the models that lie in host memory and are asked one after the other."""
    reference = shape.parameters if plan.reference and not plan.lora_rank and "reference" in plan.offload else 0.0
    reward = plan.reward_parameters if "reward" in plan.offload else 0.0
    return frozen(max(reference, reward), plan).weights


def _standing_gradients(plan: MemoryPlan, resident: Resident) -> float:
    """Gradients that stay between steps because they lie in buffers made once."""
    if plan.precision is Precision.MIXED or plan.sharding is not Sharding.NONE:
        return resident.actor.gradients + resident.critic.gradients
    return 0.0


def _gathered_layers(shape: Shape, plan: MemoryPlan) -> float:
    """With divided weights: the layer at work and the next one, whole, or the table where that is more."""
    if not plan.weights_divided:
        return 0.0
    return max(2 * shape.layer, shape.table) * plan.compute_bytes


def _gathered_whole(shape: Shape, plan: MemoryPlan) -> float:
    """With divided weights: all of them, since each new token would have to gather them again."""
    return shape.parameters * plan.compute_bytes if plan.weights_divided else 0.0


def _phase(name: str, resident: Resident, *parts: Part) -> Phase:
    return Phase(name, tuple(part for part in (*resident.parts, *parts) if part.bytes > 0))
