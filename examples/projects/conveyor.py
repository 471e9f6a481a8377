"""A sorter beside a conveyor belt: parcels come by, and a flap sends each one left, right or straight on.

Trained with DQN of Stable-Baselines3.

What is wrong: the belt is one array, moved on in place, and `step` returns that array. Whatever a caller has kept of
the past changes with the next step, so that an observation and the next one are always the same.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from stable_baselines3 import DQN

PARCELS, PLACES = 60, 4
steps = 15_000


class Conveyor(gym.Env):
    observation_space = gym.spaces.Box(0.0, 1.0, (3 * PLACES,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def __init__(self):
        self.belt = np.zeros(3 * PLACES, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.belt[:] = 0.0
        for _ in range(PLACES):
            self.move_on()
        self.sorted = 0
        return self.belt, {}

    def step(self, action):
        right = self.belt[action] == 1.0
        self.move_on()
        self.sorted += 1
        return self.belt, 1.0 if right else -0.5, False, self.sorted >= PARCELS, {}

    def move_on(self):
        """The first parcel leaves, the others come nearer, and a new one is put at the end."""
        self.belt[:-3] = self.belt[3:]
        self.belt[-3:] = 0.0
        self.belt[-3 + self.np_random.integers(3)] = 1.0


def make_env():
    return Conveyor()


def make_model(env):
    return DQN(
        "MlpPolicy", env, learning_rate=1e-3, learning_starts=500, exploration_fraction=0.3, target_update_interval=250
    )
