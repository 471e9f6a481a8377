"""A small boat sails to a buoy: it sees the direction of its own motion and where the buoy lies.

Trained with PPO of Stable-Baselines3.

What is wrong: the direction is the velocity divided by its length. When the boat stands still that is 0 / 0, which
NumPy answers with NaN and a warning that has been switched off.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO

np.seterr(invalid="ignore")

LONGEST = 150
PUSHES = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
steps = 20_000


class Sailing(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (5,), np.float32)
    action_space = gym.spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-4.0, 4.0, 2)
        self.buoy = self.np_random.uniform(-4.0, 4.0, 2)
        self.velocity = self.np_random.uniform(-0.3, 0.3, 2)
        self.sailed = 0
        return self.seen(), {}

    def step(self, action):
        before = self.distance()
        self.velocity = np.clip(np.round(0.9 * self.velocity + 0.1 * PUSHES[action], 2), -0.5, 0.5)
        self.place = self.place + self.velocity
        outside = np.abs(self.place) > 5.0
        self.velocity[outside] = 0.0  # the boat runs aground
        self.place = np.clip(self.place, -5.0, 5.0)
        self.sailed += 1
        there = self.distance() < 0.5
        reward = before - self.distance() + 5.0 * there
        return self.seen(), reward, bool(there), self.sailed >= LONGEST, {}

    def distance(self):
        return float(np.linalg.norm(self.place - self.buoy))

    def seen(self):
        speed = np.linalg.norm(self.velocity)
        course = self.velocity / speed
        return np.concatenate([course, [speed], self.buoy - self.place]).astype(np.float32)


def make_env():
    return Sailing()


def make_model(env):
    return PPO("MlpPolicy", env, n_steps=512, batch_size=64, ent_coef=0.01)
