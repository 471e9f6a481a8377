"""OpenRLHF: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="openrlhf",
    title="OpenRLHF",
    tie=12,
    packages=("openrlhf",),
)
