"""TRL: trainers of language models, and their trainings watched."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="trl",
    title="TRL",
    tie=10,
    packages=("trl",),
    extra="trl",
    trainers={"trl": "trl"},
    watches=True,
    begins=(("transformers.trainer", "Trainer", "train"),),
    marks=(
        "frac_reward_zero_std",
        "train/frac_reward_zero_std",
        "completions/clipped_ratio",
        "train/completions/clipped_ratio",
        "objective/rlhf_reward",
        "train/objective/rlhf_reward",
        "ppo/mean_scores",
        "rewards/margins",
        "train/rewards/margins",
    ),
)
