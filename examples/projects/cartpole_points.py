"""CartPole, paid in points: a thousand for every step that the pole stays up.

Trained with A2C of Stable-Baselines3.

What is wrong: with a thousand points a step the returns are tens of thousands. The value loss is a million times
that of the usual reward, and nothing brings it back to a size that a network starts from.
"""

from __future__ import annotations

import gymnasium as gym
from gymnasium.wrappers import TransformReward
from stable_baselines3 import A2C

POINTS = 1000.0
steps = 30_000


def make_env():
    return TransformReward(gym.make("CartPole-v1"), lambda reward: POINTS * reward)


def make_model(env):
    return A2C("MlpPolicy", env, learning_rate=7e-4, n_steps=8, ent_coef=0.01)
