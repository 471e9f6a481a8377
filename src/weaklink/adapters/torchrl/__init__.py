"""TorchRL: environments, models, trainers, and trainings watched."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="torchrl",
    title="TorchRL",
    tie=14,
    packages=("torchrl", "tensordict"),
    extra="torchrl",
    environments=(("torchrl.envs.common", "EnvBase", "environment"),),
    model="model",
    trainers={"torchrl": "torchrl"},
    watches=True,
    begins=(("torchrl.trainers.trainers", "Trainer", "train"),),
    marks=(
        "loss_objective",
        "train/loss_objective",
        "train/learner/loss_objective",
        "r_training",
        "total_r_evaluation",
    ),
)
