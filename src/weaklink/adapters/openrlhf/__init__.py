"""OpenRLHF: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="openrlhf",
    title="OpenRLHF",
    tie=12,
    packages=("openrlhf",),
    marks=(
        "train/ppo_clip_ratio",
        "train/ppo_kl",
        "train/vllm_kl",
        "train/actor_grad_norm",
        "ppo_clip_ratio",
        "vllm_kl",
        "train/group_reward_std",
    ),
)
