"""What a PPO update should do next, from three numbers: KL, clip fraction, entropy."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

import msgspec

from weaklink.collect.monitor.readings import list_readings

CONTINUE = "continue"
STOP_UPDATE = "stop update"
LOWER = "lower learning rate or epochs"
EXPLORE = "raise exploration"

TARGET_KL = 0.025
"""The target where none is given; twice of it, 0.05, ends an update."""

MOST_CLIPPED = 0.4

_LIMITS = ("target_kl", "entropy_floor")

_NAMES = {
    "kl": ("kl", "approx_kl", "policy.kl"),
    "target_kl": ("target_kl",),
    "clip_fraction": ("clip_fraction", "policy.clip_fraction"),
    "entropy": ("entropy", "exploration.entropy"),
    "entropy_floor": ("entropy_floor",),
}


class Advice(msgspec.Struct, frozen=True):
    """What to do (`continue`, `stop update`, `lower learning rate or epochs` or `raise exploration`), and why."""

    action: str
    why: str

    def __str__(self) -> str:
        return f"{self.action}: {self.why}"


def ppo_guardrail(metrics: Mapping[str, Any]) -> Advice:
    """What to do next; the first row that holds decides.

    | seen | advice |
    |---|---|
    | KL above twice its target, or not a number | stop update |
    | clip fraction above 0.4 | lower learning rate or epochs |
    | entropy below its floor | raise exploration |
    | anything else | continue |

    A row whose number is missing is passed over.

    Args:
        metrics: `kl` (or `policy.kl`), `clip_fraction`, `entropy`, by these names or those of the vocabulary, and the
            limits `target_kl` (0.025 where it is missing) and `entropy_floor`.
    """
    known = _select_known(metrics)
    kl, clipped, entropy, floor = (known.get(name) for name in ("kl", "clip_fraction", "entropy", "entropy_floor"))
    target = known.get("target_kl", TARGET_KL)
    if kl is not None and isnan(kl):
        return Advice(STOP_UPDATE, "the KL is not a number.")
    if kl is not None and kl > 2.0 * target:
        return Advice(STOP_UPDATE, f"the KL is {kl:.4g}, more than twice its target of {target:g}.")
    if clipped is not None and clipped > MOST_CLIPPED:
        return Advice(LOWER, f"{clipped:.0%} of the ratios are clipped, more than {MOST_CLIPPED:.0%}.")
    if entropy is not None and floor is not None and entropy < floor:
        return Advice(EXPLORE, f"the entropy is {entropy:.4g}, below its floor of {floor:g}; or tie the KL closer.")
    return Advice(CONTINUE, "no number is beyond its limit.")


def _select_known(metrics: Any) -> dict[str, float]:
    """The five numbers, those there are; a limit that is no number counts as missing."""
    given = {short: value for _, short, value in list_readings(metrics)}
    known = {name: given[short] for name, shorts in _NAMES.items() for short in reversed(shorts) if short in given}
    return {name: value for name, value in known.items() if name not in _LIMITS or not isnan(value)}
