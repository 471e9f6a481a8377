"""RLlib: its logs, and its trainings watched."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="rllib",
    title="RLlib",
    tie=3,
    packages=("ray",),
    extra="ray",
    watches=True,
    begins=(("ray.rllib.algorithms.algorithm", "Algorithm", "train"),),
    marks=(
        "env_runners/episode_return_mean",
        "env_runners/episode_reward_mean",
        "sampler_results/episode_reward_mean",
        "ray/tune/episode_reward_mean",
        "ray/tune/env_runners/episode_return_mean",
        "timesteps_total",
        "iterations_since_restore",
    ),
)
