"""Acrobot with PPO of Stable-Baselines3: swing the lower of two links above a line.

What is wrong: a learning rate of 0.1. After the first update the policy has left everything that the clipped ratio
was to keep it near, and takes one action for ever.
"""

from __future__ import annotations

import gymnasium as gym
from stable_baselines3 import PPO

steps = 40_000


def make_env():
    return gym.make("Acrobot-v1")


def make_model(env):
    return PPO("MlpPolicy", env, learning_rate=0.1, n_steps=1024, batch_size=64, n_epochs=10, gae_lambda=0.94)
