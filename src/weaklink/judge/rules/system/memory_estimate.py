from __future__ import annotations

import os

from weaklink.base.evidence.config import Config, family_of
from weaklink.base.finding import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._hyperparameters import declared, positive, rollout
from weaklink.judge.rules._registry import rule

GIB = 2.0**30
BESIDE = 16.0
"""Bytes of a transition besides its observations: action, reward, done, time-out flag."""
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
    """What the buffer would hold when full is more than the memory there is.

    ## What it sees
    The size of the buffer times two observations and a few bytes for each transition, against the memory of
    this machine, or against `gigabytes` where that is set. Observations count four bytes a number, one where
    they are images or said to be `uint8`.

    ## Why it is bad
    Replay memory is mostly taken bit by bit as the buffer fills, so the training dies, or starts to swap and
    crawls, hours in.

    ## What to do
    1. Make the buffer smaller, or store each observation once (`optimize_memory_usage` in Stable-Baselines3).
    2. Keep images as `uint8`, and stack frames when sampling instead of when storing.
    3. Put the buffer on a disk-backed array.

    ## How to prove it
    Fill the buffer with random transitions before training: if that goes well, the memory is enough.

    ## When it is wrong
    A log read on another machine than the one that trained is judged by the wrong memory: set `gigabytes`.
    Buffers that store observations once, compressed or on disk need less.

    ## References
    The sum follows the replay buffer of Stable-Baselines3.
    """
    if family_of(config, ()) == "language":
        return CannotTell(("model_parameters",), "the size of the model is not known")
    size = positive(config, "observation_size")
    if size is None:
        return CannotTell(("observation_size",), "without spaces the size of a transition is unknown")
    transitions = positive(config, "buffer_size") or rollout(config)
    if transitions is None:
        return CannotTell(("buffer_size",), "neither a buffer nor a rollout is stated")
    there = gigabytes * GIB if gigabytes > 0 else _machine()
    if there is None:
        return CannotTell(("gigabytes",), "this system does not tell how much memory it has")
    copies = 1.0 if declared(config, "optimize_memory_usage") else 2.0
    needed = transitions * (copies * size * _width(config) + BESIDE)
    if needed <= there:
        return None
    return Finding(
        message=f"{transitions:,.0f} transitions of {size:,.0f} numbers need about {needed / GIB:,.1f} GiB, "
        f"and there are {there / GIB:,.1f} GiB.",
        confidence=MEDIUM if gigabytes > 0 else LOW,
        evidence=(Evidence(metric="buffer_size", value=needed, limit=there),),
    )


def _width(config: Config) -> float:
    """Bytes of one number of an observation."""
    for key, value in config.raw.items():
        if "dtype" in key.lower() and "obs" in key.lower():
            return next((width for name, width in _WIDTHS.items() if name in str(value).lower()), 4.0)
    return 1.0 if "cnn" in str(config.values.get("policy", "")).lower() else 4.0


def _machine() -> float | None:
    """The memory of this machine in bytes, or None where it does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return None
