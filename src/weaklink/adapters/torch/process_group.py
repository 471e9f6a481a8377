"""What torch knows of the other processes of a training; nothing here talks to them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import Any

import torch.distributed as dist

DEEPSPEED = "deepspeed.runtime.engine"

MARKS = {
    "_is_flat_param": "FSDP",
    "_fsdp_flattened": "FSDP",
    "ds_id": "DeepSpeed ZeRO",
    "tensor_model_parallel": "tensor parallelism",
}
"""Attributes by which frameworks mark a parameter of which each process holds a part."""


def read_rank() -> tuple[int, int] | None:
    """The rank of this process and how many there are; None before a process group is made."""
    if not dist.is_available() or not dist.is_initialized():
        return None
    return dist.get_rank(), dist.get_world_size()


def find_sharding(parameters: Sequence[Any], *, replicated: bool) -> str:
    """Why this process holds only a part of some parameters; empty where it holds them whole.

    Args:
        parameters: of one optimizer.
        replicated: whether DistributedDataParallel holds them.
    """
    for parameter in parameters:
        if hasattr(parameter, "to_local"):
            return "DTensor"
        for mark, meaning in MARKS.items():
            if getattr(parameter, mark, False) is not False:
                return meaning
        if getattr(parameter, "allreduce", True) is False:
            return "expert parallelism"
    return "DeepSpeed" if DEEPSPEED in sys.modules and not replicated else ""


def find_replica(parameters: Sequence[Any]) -> Any:
    """The DistributedDataParallel that holds one of the parameters, None where there is none."""
    kind: Any = getattr(sys.modules.get("torch.nn.parallel.distributed"), "DistributedDataParallel", None)
    if kind is None:
        return None
    held = {id(parameter) for parameter in parameters}
    for one in (kind, *kind.__subclasses__()):
        # an object refers to its class, and a search for whoever refers to it is quick
        for each in gc.get_referrers(one):
            if type(each) is one and any(id(parameter) in held for parameter in each.parameters()):
                return each
    return None


def count_replicas(replica: Any) -> int:
    """How many processes hold the same parameters; 0 where there is no DistributedDataParallel."""
    return 0 if replica is None else dist.get_world_size(replica.process_group)


def list_ignored(replica: Any) -> frozenset[int]:
    """The identities of parameters that a DistributedDataParallel was told to leave alone."""
    names = set(getattr(replica, "parameters_to_ignore", ()) or ())
    if replica is None or not names:
        return frozenset()
    return frozenset(id(parameter) for name, parameter in replica.module.named_parameters() if name in names)
