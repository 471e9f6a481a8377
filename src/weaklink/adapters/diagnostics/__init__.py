"""The diagnostics module for TorchRL trainers: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="diagnostics",
    title="diagnostics",
    tie=15,
    marks=(
        "diagnostics/explained_variance",
        "diagnostics/entropy_proxy",
        "diagnostics/action_std_min",
        "diagnostics/advantage_abs_max",
        "diagnostics/q_value_spread",
    ),
)
