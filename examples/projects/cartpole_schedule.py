"""CartPole with a learning rate that falls step by step: a tenth of the training at each rate.

Trained with PPO of Stable-Baselines3.

What is wrong: `//` is a division without remainder. What is left of the training is a number below 1 as soon as the
first batch has been collected, so the rate is 0 from the first update to the last.
"""

from __future__ import annotations

import gymnasium as gym
from stable_baselines3 import PPO

RATE = 3e-4
steps = 20_000


def falling(left):
    """The learning rate where `left` of the training is left, from 1 to 0."""
    return RATE * (10 * left // 10)


def make_env():
    return gym.make("CartPole-v1")


def make_model(env):
    return PPO("MlpPolicy", env, learning_rate=falling, n_steps=512, batch_size=64, ent_coef=0.01)
