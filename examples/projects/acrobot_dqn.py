"""Acrobot with DQN of Stable-Baselines3: swing the lower of two links above a line.

What is wrong: the settings come from a training of millions of steps. Learning starts after 50,000 steps and this
training is over after 20,000: it ends without an error and without a single gradient step.
"""

from __future__ import annotations

import gymnasium as gym
from stable_baselines3 import DQN

steps = 20_000


def make_env():
    return gym.make("Acrobot-v1")


def make_model(env):
    return DQN(
        "MlpPolicy",
        env,
        learning_rate=6.3e-4,
        buffer_size=50_000,
        learning_starts=50_000,
        batch_size=128,
        exploration_fraction=0.12,
        target_update_interval=250,
    )
