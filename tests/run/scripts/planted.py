"""PPO on CartPole; `broken` plants one fault: advantages are carried over the ends of episodes."""

import sys

import gymnasium as gym
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer


class ForgetfulBuffer(RolloutBuffer):
    def compute_returns_and_advantage(self, last_values, dones):
        kept, self.episode_starts = self.episode_starts, self.episode_starts * 0.0
        super().compute_returns_and_advantage(last_values, dones * 0.0)
        self.episode_starts = kept


def make_model(kind):
    torch.set_num_threads(1)
    buffer = {"rollout_buffer_class": ForgetfulBuffer} if kind == "broken" else {}
    small = {"seed": 0, "device": "cpu", "policy_kwargs": {"net_arch": [32]}}
    return PPO("MlpPolicy", gym.make("CartPole-v1"), n_steps=128, batch_size=64, n_epochs=4, **small, **buffer)


if __name__ == "__main__":
    make_model(sys.argv[1]).learn(768)
