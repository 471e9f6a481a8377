"""Tianshou: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="tianshou",
    title="Tianshou",
    tie=5,
    packages=("tianshou",),
)
