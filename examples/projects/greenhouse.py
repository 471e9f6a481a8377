"""A greenhouse: keep the temperature near 21 degrees with a heater and a window, on one tank of fuel a day.

Trained with PPO of Stable-Baselines3.

What is wrong: the tank is filled when the environment is made and never again, so that after the first day the heater
has little or nothing left to burn, and what a day looks like depends on the days before it.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO

HOURS, WANTED, TANK = 48, 21.0, 60.0
steps = 20_000


class Greenhouse(gym.Env):
    observation_space = gym.spaces.Box(-5.0, 5.0, (3,), np.float32)
    action_space = gym.spaces.Discrete(3)  # nothing, heat, open the window

    def __init__(self):
        self.fuel = TANK

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.inside = self.np_random.uniform(8.0, 30.0)
        self.hour = 0
        return self.seen(), {}

    def step(self, action):
        outside = 12.0 + 8.0 * np.sin(2 * np.pi * self.hour / 24)
        exchange = 0.4 if action == 2 else 0.1
        self.inside += exchange * (outside - self.inside)
        if action == 1 and self.fuel > 0:
            self.inside += 3.0
            self.fuel -= 1.0
        self.hour += 1
        reward = 1.0 - abs(self.inside - WANTED) / 10.0
        return self.seen(), reward, False, self.hour >= HOURS, {}

    def seen(self):
        day = 2 * np.pi * self.hour / 24
        return np.array([(self.inside - WANTED) / 10.0, np.sin(day), np.cos(day)], np.float32)


def make_env():
    return Greenhouse()


def make_model(env):
    return PPO("MlpPolicy", env, n_steps=512, batch_size=64, gae_lambda=0.95, gamma=0.95, ent_coef=0.01)
