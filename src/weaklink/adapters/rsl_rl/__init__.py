"""RSL-RL: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="rsl_rl",
    title="RSL-RL",
    tie=6,
    packages=("rsl_rl",),
    marks=(
        "Train/mean_reward",
        "Train/mean_episode_length",
        "Loss/surrogate",
        "Loss/value_function",
        "Policy/mean_noise_std",
        "Perf/total_fps",
    ),
)
