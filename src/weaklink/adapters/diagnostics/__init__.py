"""The diagnostics module for TorchRL trainers: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="diagnostics",
    title="diagnostics",
    tie=15,
)
