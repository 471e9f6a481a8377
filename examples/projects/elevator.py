"""An elevator that fetches people from the floors where they wait; a mask says which ways it can go.

Trained with MaskablePPO of sb3-contrib.

What is wrong: the mask forbids going below the ground floor and forgets the top floor. From there the elevator goes to
a floor that does not exist, and the building answers with an IndexError.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from sb3_contrib import MaskablePPO

FLOORS, LONGEST = 8, 60
steps = 20_000


class Elevator(gym.Env):
    observation_space = gym.spaces.Box(0.0, 1.0, (2 * FLOORS,), np.float32)
    action_space = gym.spaces.Discrete(3)  # down, open the doors, up

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor = int(self.np_random.integers(FLOORS))
        self.waiting = self.np_random.random(FLOORS) < 0.3
        self.rounds = 0
        return self.seen(), {}

    def action_masks(self):
        return np.array([self.floor > 0, True, True])

    def step(self, action):
        self.floor += int(action) - 1
        fetched = bool(action == 1 and self.waiting[self.floor])
        if action == 1:
            self.waiting[self.floor] = False
        self.rounds += 1
        reward = float(fetched) - 0.05 * float(self.waiting.sum()) / FLOORS
        return self.seen(), reward, not self.waiting.any(), self.rounds >= LONGEST, {}

    def seen(self):
        here = np.zeros(FLOORS, np.float32)
        here[self.floor] = 1.0
        return np.concatenate([here, self.waiting.astype(np.float32)])


def make_env():
    return Elevator()


def make_model(env):
    return MaskablePPO("MlpPolicy", env, n_steps=512, batch_size=64, gamma=0.95, ent_coef=0.01)
