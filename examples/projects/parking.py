"""A car rolls into a parking space: it is to stop in it, gently.

Trained with PPO of Stable-Baselines3.

What is wrong: the reward is the distance to the space, where minus the distance was meant. The further away the car is
parked, the more it is paid.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO

LONGEST, TICK = 100, 0.1
steps = 20_000
goal_metric = "parked"


class Parking(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-3.0, 3.0)
        self.speed = 0.0
        self.driven = 0
        return self.seen(), {}

    def step(self, action):
        pedal = float(np.clip(action[0], -1.0, 1.0))
        self.speed = float(np.clip(0.95 * self.speed + TICK * pedal, -1.0, 1.0))
        self.place = float(np.clip(self.place + TICK * self.speed, -4.0, 4.0))
        self.driven += 1
        parked = abs(self.place) < 0.4 and abs(self.speed) < 0.4
        reward = abs(self.place) - 0.05 * pedal**2
        return self.seen(), reward, False, self.driven >= LONGEST, {"parked": float(parked)}

    def seen(self):
        return np.array([self.place, self.speed], np.float32)


def make_env():
    return Parking()


def make_model(env):
    return PPO("MlpPolicy", env, n_steps=1024, batch_size=64, gamma=0.95)
