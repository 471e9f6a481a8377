from __future__ import annotations

import os

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import read_flag, read_positive, read_rollout_size
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

GIB = 2.0**30
# bytes of a transition besides its observations: action, reward, done and time-limit flag, about four bytes each
BESIDE = 16.0

_WIDTHS = {"uint8": 1.0, "int8": 1.0, "bool": 1.0, "float16": 2.0, "float64": 8.0, "int64": 8.0}


@rule(
    "SYS101",
    link=Link.SYSTEM,
    level=Level.INFO,
    on=Config,
    leads_to=("SYS301", "SYS302"),
    checks={"memory estimate": "decides"},
)
def memory_estimate(config: Config, *, gigabytes: float = 0.0) -> Answer:
    """The full replay buffer needs more memory than the machine has.

    ## What it sees
    The buffer size times two observations and a few bytes per transition, compared with the memory of this machine, or
    with `gigabytes` where that is set. Observations count four bytes per number, or one where they are images or
    declared `uint8`.

    ## Why it is bad
    Most replay buffers take memory as they fill, so the training is killed, or starts to swap, only after hours.

    ## What to do
    1. Make the buffer smaller, or store each observation once (`optimize_memory_usage` in Stable-Baselines3).
    2. Keep images as `uint8`, and stack frames when sampling instead of when storing.
    3. Put the buffer on a disk-backed array.

    ## How to prove it
    Fill the buffer with random transitions before training: if that succeeds, the memory is enough.

    ## When it is wrong
    If the log is read on another machine than the one that trains, the wrong memory is used: set `gigabytes`.
    Buffers that store observations once, compressed or on disk need less.

    ## References
    The calculation follows the replay buffer of Stable-Baselines3.
    """
    if infer_family(config, ()) == "language":
        return CannotTell(("model_parameters",), "the size of the model is not known")
    size = read_positive(config, "observation_size")
    if size is None:
        return CannotTell(("observation_size",), "without the spaces the size of a transition is not known")
    transitions = read_positive(config, "buffer_size") or read_rollout_size(config)
    if transitions is None:
        return CannotTell(("buffer_size",), "neither a buffer size nor a rollout size is known")
    there = gigabytes * GIB if gigabytes > 0 else _measure_machine()
    if there is None:
        return CannotTell(("gigabytes",), "the memory of this machine is not known")
    copies = 1.0 if read_flag(config, "optimize_memory_usage") else 2.0
    needed = transitions * (copies * size * _count_bytes(config) + BESIDE)
    if needed <= there:
        return None
    return Finding(
        message=f"{transitions:,.0f} transitions of {size:,.0f} numbers need about {needed / GIB:,.1f} GiB, "
        f"but the machine has {there / GIB:,.1f} GiB.",
        confidence=MEDIUM if gigabytes > 0 else LOW,
        evidence=(Evidence(metric="buffer_size", value=needed, limit=there),),
    )


def _count_bytes(config: Config) -> float:
    """Bytes of one number of an observation."""
    for key, value in config.raw.items():
        if "dtype" in key.lower() and "obs" in key.lower():
            return next((width for name, width in _WIDTHS.items() if name in str(value).lower()), 4.0)
    return 1.0 if "cnn" in str(config.values.get("policy", "")).lower() else 4.0


def _measure_machine() -> float | None:
    """The memory of this machine in bytes, or None where it does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return None
