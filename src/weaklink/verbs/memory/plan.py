"""How a model is trained, as far as memory is concerned."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from weaklink.base.backports import StrEnum
from weaklink.base.errors import UsageError

TARGETS = ("q", "k", "v", "o", "gate", "up", "down")


class Precision(StrEnum):
    """What weights and arithmetic are kept in.

    `autocast` has weights of 32 bits and arithmetic of 16 (`bf16=True` of a Hugging Face trainer); `mixed` has weights
    of 16 bits and a copy of 32 in the optimizer (DeepSpeed, Megatron); `bf16` and `fp16` have 16 bits throughout.
    """

    FP32 = "fp32"
    AUTOCAST = "autocast"
    MIXED = "mixed"
    BF16 = "bf16"
    FP16 = "fp16"


class Optimizer(StrEnum):
    """What is kept for each trained parameter: two moments, two of 8 bits, nothing, one, or rows and columns."""

    ADAMW = "adamw"
    ADAMW_8BIT = "adamw-8bit"
    SGD = "sgd"
    MOMENTUM = "momentum"
    ADAFACTOR = "adafactor"


class StepKernel(StrEnum):
    """How the optimizer steps: over all parameters at once with a copy, in one kernel, or one parameter at a time."""

    FOREACH = "foreach"
    FUSED = "fused"
    LOOP = "loop"


class Attention(StrEnum):
    """`sdpa` repeats the key and value heads first, `flash` does not, `eager` keeps every score."""

    SDPA = "sdpa"
    FLASH = "flash"
    EAGER = "eager"


class Sharding(StrEnum):
    """What is divided among the devices: nothing, optimizer states, gradients too, weights too."""

    NONE = "none"
    ZERO1 = "zero1"
    ZERO2 = "zero2"
    ZERO3 = "zero3"
    FSDP = "fsdp"


class MemoryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One training on one of `devices` equal devices. Batches are those of one device.

    `prompt` and `completion` are lengths in tokens; `micro_batch` rows pass forward and backward at a time,
    `accumulation` of them make a step, `rollouts` rows are kept between generating and learning, and
    `generation_batch` of them are generated at a time. `whole_logits` is for a loss that scores the prompt too.
    """

    prompt: int = 512
    completion: int = 512
    micro_batch: int = 1
    accumulation: int = 1
    rollouts: int = 8
    generation_batch: int = 8
    scoring_batch: int = 0
    logit_chunks: int = 1
    whole_logits: bool = False
    precision: Precision = Precision.AUTOCAST
    state_precision: Precision | None = None
    optimizer: Optimizer = Optimizer.ADAMW
    step_kernel: StepKernel = StepKernel.FOREACH
    attention: Attention = Attention.SDPA
    checkpointing: bool = False
    lora_rank: int = 0
    lora_targets: tuple[str, ...] = TARGETS
    base_bits: int = 16
    critic: bool = False
    reference: bool = False
    reward_parameters: float = 0.0
    generate: bool = True
    kv_bits: int = 16
    engine_memory: float = 0.0
    sharding: Sharding = Sharding.NONE
    devices: int = 1
    offload: tuple[str, ...] = ()

    @property
    def sequence(self) -> int:
        """Prompt and completion."""
        return self.prompt + self.completion

    @property
    def scored(self) -> int:
        """Tokens of a row that get logits."""
        return self.sequence if self.whole_logits else self.completion

    @property
    def scored_at_once(self) -> int:
        """Rows whose log-probabilities are worked out at a time."""
        return self.scoring_batch or self.micro_batch

    @property
    def compute_bytes(self) -> int:
        """Of one number in the arithmetic of a layer."""
        return 4 if self.precision is Precision.FP32 else 2

    @property
    def weight_bytes(self) -> int:
        """Of one weight, and of its gradient."""
        return 4 if self.precision in (Precision.FP32, Precision.AUTOCAST) else 2

    @property
    def residual_bytes(self) -> int:
        """Of one number in the stream between layers: it has the type of the weights that the embedding looks up."""
        return self.weight_bytes

    @property
    def state_bytes(self) -> int:
        """Of one number of the optimizer; torch gives it the type of the weight unless the optimizer has its own."""
        if self.state_precision is not None:
            return 4 if self.state_precision is Precision.FP32 else 2
        return 2 if self.precision in (Precision.BF16, Precision.FP16) else 4

    @property
    def weights_divided(self) -> bool:
        """Whether each device holds only its share of the weights."""
        return self.sharding in (Sharding.ZERO3, Sharding.FSDP)

    @property
    def gradients_kept(self) -> bool:
        """Whether gradients are there before the backward pass begins: summed up, or in buffers made once."""
        return self.accumulation > 1 or self.precision is Precision.MIXED or self.sharding is not Sharding.NONE


_AT_LEAST_ONE = ("completion", "micro_batch", "accumulation", "rollouts", "generation_batch", "logit_chunks", "devices")
_CHOICES: dict[str, type[StrEnum]] = {
    "precision": Precision,
    "state_precision": Precision,
    "optimizer": Optimizer,
    "step_kernel": StepKernel,
    "attention": Attention,
    "sharding": Sharding,
}
_AT_LEAST_NOTHING = ("prompt", "scoring_batch", "lora_rank", "reward_parameters", "engine_memory")


def plan_memory(given: Mapping[str, object]) -> MemoryPlan:
    """A plan from fields by name, each of them checked."""
    for name in _AT_LEAST_ONE + _AT_LEAST_NOTHING:
        lowest = 1 if name in _AT_LEAST_ONE else 0
        value = given.get(name, lowest)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= lowest:
            raise UsageError(f"{name} must be {lowest} or more, not {value!r}.")
    for name, kind in _CHOICES.items():
        value = given.get(name)
        if value is not None and value not in list(kind):
            raise UsageError(f"{name} must be one of {', '.join(kind)}, not {value!r}.")
    try:
        plan = msgspec.convert(given, MemoryPlan, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"A field of the plan has a wrong value: {error}.") from None
    _check(plan)
    return plan


def _check(plan: MemoryPlan) -> None:
    for name, allowed in (("base_bits", (4, 8, 16)), ("kv_bits", (8, 16))):
        if getattr(plan, name) not in allowed:
            raise UsageError(f"{name} must be one of {allowed}, not {getattr(plan, name)}.")
    if plan.base_bits < 16 and not plan.lora_rank:
        raise UsageError(f"Weights of {plan.base_bits} bits cannot be trained: give a rank for LoRA with --lora.")
    for target in plan.lora_targets:
        if target not in TARGETS:
            raise UsageError(f"LoRA knows no matrix '{target}': they are {', '.join(TARGETS)}.")
    for thing in plan.offload:
        if thing not in ("optimizer", "reference", "reward"):
            raise UsageError(f"'{thing}' cannot be offloaded: optimizer, reference and reward can.")
    if plan.sharding is not Sharding.NONE and plan.devices < 2:
        raise UsageError(f"{plan.sharding.value} needs several devices: give --devices 2 or more, not {plan.devices}.")
