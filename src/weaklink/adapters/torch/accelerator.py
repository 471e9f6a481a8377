"""What the accelerator says of itself: memory, utilisation, temperature."""

from __future__ import annotations

import contextlib
import os
import subprocess
from typing import Any

import torch

SECONDS = 5.0
"""How long the driver's own tool may take to answer."""

QUERY = ("memory.used", "memory.total", "utilization.gpu", "temperature.gpu")
MEBIBYTE = 2.0**20


def in_use() -> bool:
    """Whether this process works on a CUDA device."""
    return bool(torch.cuda.is_available() and torch.cuda.is_initialized())


def read() -> dict[str, float]:
    """Numbers of the current CUDA device, by their names in the vocabulary; none where CUDA is not in use.

    It starts a process and so takes tens of milliseconds: call it from a thread of its own, and rarely.
    """
    if not in_use():
        return {}
    device = torch.cuda.current_device()
    found = {
        "system.memory_allocated": float(torch.cuda.max_memory_allocated(device)),
        "system.memory_reserved": float(torch.cuda.memory_reserved(device)),
    }
    found.update(_read_driver(_find_place(device)))
    return found


def _read_driver(place: str) -> dict[str, float]:
    used, total, busy, warmth = _query_driver(place)
    found: dict[str, float] = {}
    if used is not None:
        found["system.memory_gross"] = used * MEBIBYTE
    if used is not None and total:
        found["system.accelerator_memory"] = used / total
    if busy is not None:
        found["system.accelerator_utilisation"] = busy / 100.0
    if warmth is not None:
        found["system.accelerator_temperature"] = warmth
    return found


def _query_driver(place: str) -> tuple[float | None, ...]:
    """The answers to QUERY; None for each that could not be had."""
    command = ["nvidia-smi", f"--query-gpu={','.join(QUERY)}", "--format=csv,noheader,nounits", f"--id={place}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return (None,) * len(QUERY)
    return parse_answers(done.stdout)


def parse_answers(told: str) -> tuple[float | None, ...]:
    """The numbers of one line of the tool, None for each that it does not know (`[N/A]`)."""
    fields = (told.strip().splitlines() or [""])[0].split(",")
    found: list[float | None] = []
    for field in [*fields, *[""] * len(QUERY)][: len(QUERY)]:
        try:
            found.append(float(field))
        except ValueError:
            found.append(None)
    return tuple(found)


def _find_place(device: int) -> str:
    """How the driver's tool calls a device: `CUDA_VISIBLE_DEVICES` counts anew, the tool does not."""
    with contextlib.suppress(AttributeError, RuntimeError):
        name = str(torch.cuda.get_device_properties(device).uuid)
        return name if name.startswith("GPU-") else f"GPU-{name}"
    visible = [part.strip() for part in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if part.strip()]
    return visible[device] if device < len(visible) else str(device)


def describe() -> dict[str, Any]:
    """The device, its library and how precisely it computes, for the context of a run."""
    found: dict[str, Any] = {
        "torch": str(torch.__version__),
        "threads": torch.get_num_threads(),
        "default_dtype": str(torch.get_default_dtype()).removeprefix("torch."),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "deterministic_algorithms": torch.are_deterministic_algorithms_enabled(),
        "device": "cpu",
    }
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        found |= {
            "device": torch.cuda.get_device_name(torch.cuda.current_device()),
            "devices": torch.cuda.device_count(),
            "cuda": torch.version.cuda,
            "cudnn_benchmark": torch.backends.cudnn.benchmark,
            "cudnn_deterministic": torch.backends.cudnn.deterministic,
        }
    return found
