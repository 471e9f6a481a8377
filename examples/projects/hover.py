"""A drone that climbs or sinks to a height and hovers there, with SAC of Stable-Baselines3.

Nothing is wrong with it.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from stable_baselines3 import SAC

LONGEST, TICK = 50, 0.2
steps = 4_000


class Hover(gym.Env):
    observation_space = gym.spaces.Box(-5.0, 5.0, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = self.np_random.uniform(-2.0, 2.0)
        self.speed = self.np_random.uniform(-0.5, 0.5)
        self.flown = 0
        return self.seen(), {}

    def step(self, action):
        thrust = float(np.clip(action[0], -1.0, 1.0))
        self.speed = float(np.clip(0.9 * self.speed + TICK * thrust, -2.0, 2.0))
        self.height = float(np.clip(self.height + TICK * self.speed, -3.0, 3.0))
        self.flown += 1
        reward = 0.5 - abs(self.height) / 2 - 0.01 * thrust**2
        return self.seen(), reward, False, self.flown >= LONGEST, {}

    def seen(self):
        return np.array([self.height, self.speed], np.float32)


def make_env():
    return Hover()


def make_model(env):
    small = {"net_arch": [64, 64]}
    return SAC("MlpPolicy", env, learning_rate=2e-3, learning_starts=200, train_freq=2, gamma=0.95, policy_kwargs=small)
