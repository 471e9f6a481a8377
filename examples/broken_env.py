"""An environment that passes every checker of its interface and that nothing can be learned from.

weaklink preflight examples/broken_env.py:make
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np


class Warehouse(gym.Env):
    """A robot is to drive to a shelf. Look what it sees, what its wheels do, and what it is paid."""

    observation_space = gym.spaces.Box(-10.0, 10.0, (4,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-5.0, 5.0, 2)
        self.shelf = self.np_random.uniform(-5.0, 5.0, 2)
        self.steps = 0
        return self._seen(), {}

    def step(self, action):
        speed = np.array([action[0], 0.0])  # the second wheel was meant to be action[1]
        self.place = np.clip(self.place + 0.1 * speed, -5.0, 5.0)
        distance = float(np.linalg.norm(self.place - self.shelf))
        self.steps += 1
        near = distance < 0.3
        info = {"reward_distance": -1000.0 * distance, "reward_shelf": 10.0 * near}
        return self._seen(), sum(info.values()), near, self.steps >= 200, info

    def _seen(self):
        return np.concatenate([self.place, self.shelf]).astype(np.float32)


def make() -> gym.Env:
    return Warehouse()
