"""RSL-RL: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="rsl_rl",
    title="RSL-RL",
    tie=6,
    packages=("rsl_rl",),
)
