"""A rover with two driven wheels finds its way to a crater.

Trained with SAC of Stable-Baselines3.

What is wrong: both wheels are driven by the first number of the action. The second one does nothing, and the rover
cannot turn.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from stable_baselines3 import SAC

LONGEST, BASE, TICK = 200, 0.5, 0.1
steps = 8_000


class Rover(gym.Env):
    observation_space = gym.spaces.Box(-20.0, 20.0, (4,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-3.0, 3.0, 2)
        self.crater = self.np_random.uniform(-3.0, 3.0, 2)
        self.heading = self.np_random.uniform(-np.pi, np.pi)
        self.driven = 0
        return self.seen(), {}

    def step(self, action):
        wheels = np.clip(action, -1.0, 1.0)
        left, right = wheels[0], wheels[0]
        before = self.distance()
        self.heading += TICK * (right - left) / BASE
        self.place = self.place + TICK * (left + right) / 2 * np.array([np.cos(self.heading), np.sin(self.heading)])
        self.place = np.clip(self.place, -5.0, 5.0)
        self.driven += 1
        there = self.distance() < 0.3
        return self.seen(), before - self.distance() + 2.0 * there, bool(there), self.driven >= LONGEST, {}

    def distance(self):
        return float(np.linalg.norm(self.crater - self.place))

    def seen(self):
        ahead = np.array([np.cos(self.heading), np.sin(self.heading)])
        return np.concatenate([self.crater - self.place, ahead]).astype(np.float32)


def make_env():
    return Rover()


def make_model(env):
    return SAC("MlpPolicy", env, learning_starts=500, policy_kwargs={"net_arch": [64, 64]})
