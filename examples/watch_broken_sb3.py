"""A PPO of Stable-Baselines3 whose buffer was rewritten and forgets where episodes end, watched.

    python examples/watch_broken_sb3.py
    weaklink diagnose runs/broken_sb3

Nothing raises, and the curves look like those of any run that needs more time.
"""

from __future__ import annotations

import argparse

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer

import weaklink

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20_000)
parser.add_argument("--folder", default="runs/broken_sb3")
parser.add_argument("--stop", action="store_true", help="end the training at the first alert of level error")


class Buffer(RolloutBuffer):
    def compute_returns_and_advantage(self, last_values, dones):
        following, ahead = last_values.clone().cpu().numpy().flatten(), 0.0
        for step in reversed(range(self.buffer_size)):
            delta = self.rewards[step] + self.gamma * following - self.values[step]
            self.advantages[step] = ahead = delta + self.gamma * self.gae_lambda * ahead
            following = self.values[step]
        self.returns = self.advantages + self.values


def train(args):
    torch.set_num_threads(1)
    model = PPO("MlpPolicy", "CartPole-v1", n_steps=512, seed=0, device="cpu", rollout_buffer_class=Buffer)
    monitor = weaklink.attach(model, args.folder, on_error="stop" if args.stop else "continue")
    model.learn(args.steps)
    return monitor


if __name__ == "__main__":
    train(parser.parse_args())
