"""The whole estimate: phases, peak, whether it fits, and what to change where it does not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.verbs.memory.changes import MemoryChange, propose_changes
from weaklink.verbs.memory.hugging_face import read_shape
from weaklink.verbs.memory.network import compute_network_phases
from weaklink.verbs.memory.phases import MemoryPart, MemoryPhase, compute_phases
from weaklink.verbs.memory.plan import MemoryPlan, Precision
from weaklink.verbs.memory.quantities import parse_count, parse_size
from weaklink.verbs.memory.shape import ModelShape, make_shape
from weaklink.verbs.memory.states import count_adapter_parameters

__all__ = ["Estimate", "MemoryOptions", "MemoryPart", "MemoryPhase", "estimate_memory"]

FRAGMENTATION = 0.05
"""What the caching allocator of torch holds beyond what is in use, as a share of it."""

CONTEXT = 1.0e9
"""What a CUDA context and the kernels take outside torch's allocator: 1.05 GB on an H200 with torch 2.11."""

NUMBERS = ("hidden", "layers", "heads", "kv_heads", "intermediate", "vocabulary", "tied")


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a training needs on each device, in bytes.

    `allocated` is what tensors take at the highest moment (`torch.cuda.max_memory_allocated`), `reserved` what torch
    holds for it (`max_memory_reserved`), `needed` what the device must have free.
    """

    name: str
    parameters: float
    trained: float
    phases: tuple[MemoryPhase, ...]
    plan: MemoryPlan
    shape: ModelShape | None = None
    device_memory: float | None = None
    changes: tuple[MemoryChange, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def peak(self) -> MemoryPhase:
        """The phase that needs most."""
        return max(self.phases, key=lambda phase: phase.bytes)

    @property
    def allocated(self) -> float:
        """What tensors take at the highest moment."""
        return self.peak.bytes

    @property
    def reserved(self) -> float:
        """What the allocator holds for them."""
        return _compute_reserved(self.allocated, self.plan)

    @property
    def needed(self) -> float:
        """What the device must have free."""
        return self.reserved + CONTEXT

    @property
    def fits(self) -> bool | None:
        """Whether the device has it; None where it is not known."""
        return None if self.device_memory is None else self.needed <= self.device_memory


class MemoryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `weaklink.memory_estimate` is asked for.

    A model is given by the `config` of Hugging Face, by its `parameters` and numbers, or as the `layer_sizes` of a
    plain network; `plan` says how it is trained, `device_memory` what the device has, such as `80GB`.
    """

    config: Mapping[str, Any] | str | os.PathLike[str] | None = None
    parameters: str | float | None = None
    layer_sizes: tuple[int, ...] | None = None
    device_memory: str | float | None = None
    hidden: int | None = None
    layers: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    intermediate: int | None = None
    vocabulary: int | None = None
    tied: bool | None = None
    plan: MemoryPlan = MemoryPlan()

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the model that are given."""
        given = {name: getattr(self, name) for name in NUMBERS}
        return {name: value for name, value in given.items() if value is not None}


def estimate_memory(options: MemoryOptions) -> Estimate:
    """Estimates the memory that a training needs on each device.

    Raises:
        UsageError: the model is given twice or not at all, or a number makes no sense.
    """
    room = None if options.device_memory is None else parse_size(options.device_memory, "device_memory")
    config, parameters, numbers, plan = options.config, options.parameters, options.numbers, options.plan
    if options.layer_sizes is not None:
        if config is not None or parameters is not None or numbers:
            raise UsageError(
                "The model is given twice: layer sizes are for a plain network instead of a language model."
            )
        return _estimate_network(options.layer_sizes, plan, room)
    stated = None if parameters is None else parse_count(parameters, "parameters")
    if config is None:
        shape, notes = make_shape(parameters=stated, **_check_whole_numbers(numbers))
    else:
        shape, notes = read_shape(config)
        if numbers or stated is not None:
            raise UsageError("The shape of the model is given twice: give either its configuration or its numbers.")
    return _estimate_decoder(shape, plan, room, notes)


def _estimate_decoder(shape: ModelShape, plan: MemoryPlan, room: float | None, notes: tuple[str, ...]) -> Estimate:
    trained = count_adapter_parameters(shape, plan) if plan.lora_rank else shape.parameters
    return Estimate(
        name=shape.name or f"{shape.layers} layers of {shape.hidden}",
        parameters=shape.parameters,
        trained=trained,
        phases=compute_phases(shape, plan),
        plan=plan,
        shape=shape,
        device_memory=room,
        changes=propose_changes(plan, lambda other: _compute_needed(compute_phases(shape, other), other), room),
        notes=notes,
    )


def _estimate_network(sizes: tuple[int, ...], plan: MemoryPlan, room: float | None) -> Estimate:
    found = compute_network_phases(sizes, plan)
    parameters = sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))
    name = "network of " + ", ".join(map(str, sizes))
    return Estimate(
        name=name,
        parameters=float(parameters),
        trained=float(parameters),
        phases=found,
        plan=msgspec.structs.replace(plan, precision=Precision.FP32),
        device_memory=room,
    )


def _compute_needed(found: tuple[MemoryPhase, ...], plan: MemoryPlan) -> float:
    return _compute_reserved(max(phase.bytes for phase in found), plan) + CONTEXT


def _compute_reserved(allocated: float, plan: MemoryPlan) -> float:
    """What torch holds for its tensors, and a generation engine for its own."""
    return (allocated - plan.engine_memory) * (1 + FRAGMENTATION) + plan.engine_memory


def _check_whole_numbers(numbers: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in numbers.items():
        if name != "tied" and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UsageError(f"{name} must be a whole number from 1 on, not {value!r}.")
    return dict(numbers)
