"""A telescope that follows a satellite with one motor.

Trained with TQC of sb3-contrib.

What is wrong: the command is multiplied by the ratio of the gear twice, and cut to what the motor can do. Everything
but a hundredth of the range turns the telescope at full speed one way or the other, and it can never stand still.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from sb3_contrib import TQC

LONGEST, GEAR, FASTEST = 100, 20.0, 3.0
steps = 6_000


class Telescope(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.apart = self.np_random.uniform(-2.0, 2.0)
        self.drift = self.np_random.uniform(-0.1, 0.1)
        self.watched = 0
        return self.seen(), {}

    def step(self, action):
        turns = self.motor(GEAR * float(action[0]))
        self.apart = float(np.clip(self.apart + self.drift - 0.1 * turns, -5.0, 5.0))
        self.watched += 1
        return self.seen(), 1.0 - abs(self.apart), False, self.watched >= LONGEST, {}

    def motor(self, command):
        """Turns a minute, as far as the motor can."""
        return float(np.clip(GEAR * command, -FASTEST, FASTEST))

    def seen(self):
        return np.array([self.apart, 10.0 * self.drift], np.float32)


def make_env():
    return Telescope()


def make_model(env):
    return TQC("MlpPolicy", env, learning_starts=500, policy_kwargs={"net_arch": [64, 64]})
