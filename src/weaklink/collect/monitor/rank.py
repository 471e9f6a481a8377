"""Which rank of a training this process is, from what launchers set and what torch knows."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module

from weaklink.base.evidence.ranks import RankPlace

LAUNCH = ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "SLURM_JOB_ID")
"""Variables that are alike in all processes of one start; torchrun, accelerate and deepspeed set the first two."""


def find_place(environment: Mapping[str, str] = os.environ) -> RankPlace:
    """The place of this process: torch's process group knows it where there is one, else the launcher's variables."""
    launch = "/".join(environment.get(name, "") for name in LAUNCH)
    grouped = _ask_torch()
    if grouped is not None:
        rank, world = grouped
    else:
        rank, world = _read_number(environment, "RANK", 0), _read_number(environment, "WORLD_SIZE", 1)
    if not 0 <= rank < world or world < 2:
        return RankPlace()
    return RankPlace(rank=rank, world=world, local=_read_number(environment, "LOCAL_RANK", rank), launch=launch)


def _ask_torch() -> tuple[int, int] | None:
    if "torch.distributed" not in sys.modules:
        return None
    found: tuple[int, int] | None = None
    with suppress(Exception):  # a torch that is half imported, or built without it
        found = import_module("weaklink.adapters.torch.process_group").read_rank()
    return found


def _read_number(environment: Mapping[str, str], name: str, other: int) -> int:
    try:
        return int(environment[name])
    except (KeyError, ValueError):
        return other
