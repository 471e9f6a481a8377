"""A table that learns in a world of the script's own, for as long as somebody looks at that world.

The first word says what is wrong with it: `leak`, nothing set back at a reset; `writes`, a file in every step; `holds`,
a lock that cannot be copied; `sound`, nothing.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

import gymnasium as gym
import numpy as np

fault, diary = sys.argv[1], Path(sys.argv[2])


class Corridor(gym.Env):
    observation_space = gym.spaces.Box(0.0, 1.0, (2,))
    action_space = gym.spaces.Discrete(2)

    def __init__(self, rng):
        self._rng, self._walked = rng, 0
        self._lock = threading.Lock() if fault == "holds" else None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._place = int(self.np_random.integers(1, 8))
        self._walked = self._walked if fault == "leak" else 0
        return self._look(), {}

    def _look(self):
        return np.array([self._place / 9, min(self._walked, 40) / 40], dtype=np.float32)

    def step(self, action):
        if fault == "writes":
            with diary.open("a") as file:
                file.write(f"{os.getpid()}\n")
        self._place, self._walked = max(self._place + 2 * int(action) - 1, 0), self._walked + 1
        return self._look(), float(self._place == 9) - 0.01, self._place == 9, False, {}


env = gym.wrappers.TimeLimit(Corridor(np.random.default_rng(0)), 40)
told = json.loads(os.environ.get("WEAKLINK_RUN", "{}")).get("survey")
until, chance, table = time.monotonic() + 120, np.random.default_rng(0), np.zeros((10, 2))


def is_looked_at():
    if not told or time.monotonic() > until:
        return False
    from weaklink.collect.survey.beside import read_survey

    time.sleep(0.02)  # the processor is for who looks
    found = read_survey(Path(told))
    return found is not None and found.is_under_way


episodes = 0
while episodes < 60 or is_looked_at():
    (where, _), over, episodes = env.reset(seed=episodes), False, episodes + 1
    while not over:
        place = round(float(where[0]) * 9)
        explores = chance.random() < 0.3 or table[place, 0] == table[place, 1]
        action = int(chance.integers(2)) if explores else int(table[place].argmax())
        after, reward, terminated, truncated, _ = env.step(action)
        best = 0.0 if terminated else 0.9 * table[round(float(after[0]) * 9)].max()
        table[place, action] += 0.5 * (reward + best - table[place, action])
        where, over = after, terminated or truncated
print("trained", os.getpid())
