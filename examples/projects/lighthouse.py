"""A boat in the dark steers along a coast to a lighthouse.

Trained with PPO of Stable-Baselines3.

What is wrong: the lighthouse is 40 steps away at the least and the episode is over after 25. No policy ever gets there,
so the only thing that tells good steering from bad is never met.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO

LONGEST, LIGHTHOUSE, STRIDE = 25, 8.0, 0.2
steps = 20_000


class Coast(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(3)  # west, drift, east

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-2.0, 0.0)
        self.current = self.np_random.uniform(-0.05, 0.05)
        self.steered = 0
        return self.seen(), {}

    def step(self, action):
        self.place = float(np.clip(self.place + STRIDE * (action - 1) + self.current, -9.0, 9.0))
        self.steered += 1
        there = self.place >= LIGHTHOUSE
        oars = 0.01 if action != 1 else 0.0
        return self.seen(), 10.0 * there - oars, bool(there), self.steered >= LONGEST, {}

    def seen(self):
        return np.array([self.place, 10.0 * self.current], np.float32)


def make_env():
    return Coast()


def make_model(env):
    return PPO("MlpPolicy", env, n_steps=512, batch_size=64, ent_coef=0.01)
