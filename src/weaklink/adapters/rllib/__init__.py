"""RLlib: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="rllib",
    title="RLlib",
    tie=3,
    packages=("ray",),
)
