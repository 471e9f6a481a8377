"""Unity ML-Agents: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="ml_agents",
    title="Unity ML-Agents",
    tie=8,
    packages=("mlagents",),
    marks=(
        "Environment/Cumulative Reward",
        "Environment/Episode Length",
        "Losses/Policy Loss",
        "Losses/Value Loss",
        "Policy/Extrinsic Value Estimate",
        "Policy/Extrinsic Reward",
        "Is Training",
    ),
)
