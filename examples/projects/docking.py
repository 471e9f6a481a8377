"""A shuttle that brakes in front of its dock: one thruster, a position and a speed.

Trained with TD3 of Stable-Baselines3.

What is wrong: after 100 steps the flight is over and `step` says that it has terminated. It was only cut off: nothing
in what the agent sees tells the hundredth step from the fiftieth, and the learner takes it for a state without
a future.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from stable_baselines3 import TD3
from stable_baselines3.common.noise import NormalActionNoise

LONGEST, THRUST, TICK = 100, 0.5, 0.1
steps = 6_000


class Docking(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-2.0, 2.0)
        self.speed = self.np_random.uniform(-0.5, 0.5)
        self.flown = 0
        return self.seen(), {}

    def step(self, action):
        thrust = float(np.clip(action[0], -1.0, 1.0))
        self.speed = float(np.clip(self.speed + THRUST * TICK * thrust, -2.0, 2.0))
        self.place = float(np.clip(self.place + TICK * self.speed, -5.0, 5.0))
        self.flown += 1
        reward = 1.0 - abs(self.place) - 0.1 * abs(self.speed) - 0.01 * thrust**2
        terminated = self.flown >= LONGEST
        return self.seen(), reward, terminated, False, {}

    def seen(self):
        return np.array([self.place, self.speed], np.float32)


def make_env():
    return Docking()


def make_model(env):
    noise = NormalActionNoise(np.zeros(1), np.full(1, 0.2))
    return TD3("MlpPolicy", env, action_noise=noise, learning_starts=500, policy_kwargs={"net_arch": [64, 64]})
