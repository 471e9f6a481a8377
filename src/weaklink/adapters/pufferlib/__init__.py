"""PufferLib: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="pufferlib",
    title="PufferLib",
    tie=13,
    packages=("pufferlib",),
    marks=(
        "agent_steps",
        "0verview/agent_steps",
        "environment/episode_return",
        "environment/episode_length",
        "environment/score",
        "environment/perf",
    ),
)
