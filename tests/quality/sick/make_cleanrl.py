"""Plants the same two faults in the trainer that logs as CleanRL does: `python make_cleanrl.py [NAME ...]`."""

from __future__ import annotations

import sys
from pathlib import Path

import gymnasium as gym
import torch

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "healthy"))

import make_cleanrl as healthy  # noqa: E402

healthy.RUNS = HERE / "runs"
FACTORS = {
    "cleanrl-learning-rate-acrobot": 1.0,
    "cleanrl-reward-scale-acrobot": 1000.0,
    "cleanrl-reward-scale-cartpole": 1000.0,
}
healthy.RECIPES.update({
    "cleanrl-learning-rate-acrobot": (healthy.Ppo("Acrobot-v1", 80_000, learning_rate=0.1), 1, 3),
    "cleanrl-reward-scale-acrobot": (healthy.Ppo("Acrobot-v1", 80_000), 1, 3),
    "cleanrl-reward-scale-cartpole": (healthy.Ppo("CartPole-v1", 60_000), 1, 3),
})  # fmt: skip


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    make = gym.make
    for name in names or list(FACTORS):
        factor = FACTORS[name]
        gym.make = lambda *given, factor=factor, **named: gym.wrappers.TransformReward(
            make(*given, **named), lambda reward, factor=factor: factor * reward
        )
        print(f"{name:32s} last return {healthy.train(name):12.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
