"""Stable-Baselines3, sb3-contrib and sbx: environments, models, trainers, and trainings watched."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="sb3",
    title="Stable-Baselines3",
    tie=1,
    packages=("stable_baselines3", "sb3_contrib", "sbx"),
    extra="sb3",
    environments=(("stable_baselines3.common.vec_env.base_vec_env", "VecEnv", "environments"),),
    model="model",
    trainers={"sb3": "stable_baselines3", "sb3_contrib": "sb3_contrib"},
    watches=True,
    begins=(("stable_baselines3.common.base_class", "BaseAlgorithm", "_setup_learn"),),
    marks=(
        "rollout/ep_rew_mean",
        "rollout/ep_len_mean",
        "rollout/exploration_rate",
        "time/total_timesteps",
        "train/policy_gradient_loss",
        "train/n_updates",
        "train/ent_coef_loss",
        "monitor/return",
        "evaluations/return",
        "loss/approximate_kullback-leibler",
        "serial_timesteps",
        "mean 100 episode reward",
    ),
)
