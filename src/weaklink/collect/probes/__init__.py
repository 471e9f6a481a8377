"""Trainer -> Outcome: problems with known answers, the ladder that they make, and what can be put on it.

`ALL_PROBES` lists the problems; it is loaded when it is first used, because Gymnasium imports this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weaklink.collect.probes.catalogue import ALL_PROBES, Probe

__all__ = ["ALL_PROBES", "Probe"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'weaklink.collect.probes' has no attribute '{name}'")
    from weaklink.collect.probes import catalogue

    return getattr(catalogue, name)
