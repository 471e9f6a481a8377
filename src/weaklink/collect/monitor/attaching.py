"""One line for a trainer of a known framework: who watches it is found by where its class comes from."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.collect.monitor.monitor import Monitor

ADAPTERS = {
    "stable_baselines3": "sb3",
    "sb3_contrib": "sb3",
    "sbx": "sb3",
    "torchrl": "torchrl",
    "trl": "trl",
}
"""The package that a trainer's class comes from, and the adapter that knows it."""


def attach(trainer: Any, folder: str | os.PathLike[str], **options: Any) -> Monitor:
    """Watches a trainer from now on; see `weaklink.attach`."""
    adapter = adapter_of(trainer)
    monitor = Monitor(folder, **options)
    watch = import_module(f"weaklink.adapters.{adapter}.watch").watch
    detach = monitor.attempt("attaching", lambda: watch(trainer, monitor))
    if detach is not None:
        monitor.until_closed(detach)
    return monitor


def adapter_of(trainer: Any) -> str:
    """The adapter that knows a trainer.

    Raises:
        UsageError: none does.
    """
    packages = [kind.__module__.partition(".")[0] for kind in type(trainer).__mro__]
    for package in packages:
        if package in ADAPTERS:
            return ADAPTERS[package]
    kind = type(trainer).__name__
    raise UsageError(
        f"attach knows models of Stable-Baselines3 and sb3-contrib and trainers of TorchRL and TRL, not {kind} of "
        f"'{packages[0]}'. For a loop of your own: monitor = weaklink.Monitor(folder), then monitor.rollout(...) and "
        "monitor.update(...); docs/attach.md has an example."
    )
