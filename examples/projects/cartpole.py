"""CartPole with PPO of Stable-Baselines3.

Nothing is wrong with it.
"""

from __future__ import annotations

import gymnasium as gym
from stable_baselines3 import PPO

steps = 30_000


def make_env():
    return gym.make("CartPole-v1")


def make_model(env):
    return PPO(
        "MlpPolicy",
        env,
        learning_rate=1e-3,
        n_steps=512,
        batch_size=64,
        n_epochs=10,
        gamma=0.98,
        gae_lambda=0.9,
        ent_coef=0.01,
    )
