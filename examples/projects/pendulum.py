"""A pendulum that is swung up and held there, with SAC of Stable-Baselines3.

Nothing is wrong with it.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import RescaleAction, TransformReward
from stable_baselines3 import SAC

steps = 6_000


def make_env():
    env = RescaleAction(gym.make("Pendulum-v1"), np.float32(-1.0), np.float32(1.0))
    return TransformReward(env, lambda reward: reward / 10.0)


def make_model(env):
    return SAC("MlpPolicy", env, learning_rate=1e-3, learning_starts=500, policy_kwargs={"net_arch": [64, 64]})
