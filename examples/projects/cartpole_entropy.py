"""CartPole with PPO of Stable-Baselines3, and an entropy bonus so that the policy goes on exploring.

What is wrong: the coefficient has the wrong sign. The entropy is a cost instead of a bonus, and the policy is paid for
being sure of itself before it knows anything.
"""

from __future__ import annotations

import gymnasium as gym
from stable_baselines3 import PPO

steps = 25_000


def make_env():
    return gym.make("CartPole-v1")


def make_model(env):
    return PPO("MlpPolicy", env, n_steps=512, batch_size=64, n_epochs=10, ent_coef=-0.5)
