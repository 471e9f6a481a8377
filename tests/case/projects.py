"""Small projects to debug: files with `make_env` and `train`, written where a test wants them."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaklink.verbs.debug.stages import preflight

ROOM = '''
import gymnasium
import numpy as np


class Room(gymnasium.Env):
    """Thirty steps; doing what is shown pays 1."""

    def __init__(self):
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 30
        return self.look(), {}

    def look(self):
        self.side = int(self.np_random.integers(2))
        return np.array([2.0 * self.side - 1.0, self.left / 30.0], np.float32)

    def step(self, action):
        paid = float(int(action) == self.side)
        self.left -= 1
        return self.look(), paid, self.left == 0, False, {}


def make_env():
    return Room()
'''

LEARNS = """

steps = 4000


class Agent:
    def __init__(self):
        self.skill = 0.0

    def act(self, observation):
        return int(observation[0] > 0)


def train(make_env, steps, seed):
    env, rng = make_env(), np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    for step in range(steps):
        knows = rng.random() < step / steps
        action = int(seen[0] > 0) if knows else int(rng.integers(2))
        seen, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            seen, _ = env.reset()
    return Agent()
"""

BLIND = ROOM.replace("np.array([2.0 * self.side - 1.0, self.left / 30.0], np.float32)", "np.zeros(2, np.float32)")


def trains(body: str) -> str:
    """A project whose training does this after a few steps."""
    return f"""{ROOM}

def train(make_env, steps, seed):
    import os, sys, time
    env = make_env()
    env.reset(seed=seed)
    for _ in range(5):
        env.step(0)
    print("about to go wrong")
    {body}
"""


def survey_briefly(patch: pytest.MonkeyPatch) -> None:
    """Has environments surveyed by fewer steps than a person's: these small ones have shown all by then."""
    patch.setattr(preflight, "STEPS", 1000)
    patch.setattr(preflight, "EPISODES", 30)


def written(folder: Path, content: str, name: str = "project.py") -> str:
    """The path of a project's file."""
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return str(file)
