"""Small projects to prove something of, written where a test wants them."""

from __future__ import annotations

from pathlib import Path

PPO = """
import gymnasium
from stable_baselines3 import PPO

steps = 512


def make_env():
    return gymnasium.make("CartPole-v1")


def make_model(env):
    return PPO("MlpPolicy", env, learning_rate={rate}, n_steps=32, batch_size=32, n_epochs=2, seed=0, device="cpu")
"""

TABLES = """
from tests.trainers import {train} as train

import gymnasium


def make_env():
    return gymnasium.make("CartPole-v1")
"""

DEAF = """
import gymnasium
import numpy as np


class Deaf(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 10
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(2, np.float32), float(action), self.left == 0, False, {}


def make_env():
    return Deaf()
"""


BANDIT = """
import gymnasium
import numpy as np

steps = 400


class Bandit(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action):
        return np.zeros(1, np.float32), float(action == 1), True, False, {}


def make_env():
    return Bandit()


class Agent:
    gamma = 0.9

    def __init__(self, preferences):
        self.preferences = preferences

    def act(self, observation):
        return int(np.argmax(self.preferences))

    def value(self, observation):
        return 1.0


def train(make_env, steps, seed, monitor=None, learning_rate=RATE):
    env, rng, preferences = make_env(), np.random.default_rng(seed), np.zeros(2)
    env.reset(seed=seed)
    for step in range(0, steps, 20):
        before = np.exp(preferences) / np.exp(preferences).sum()
        for _ in range(20):
            action = int(rng.choice(2, p=before))
            _, reward, _, _, _ = env.step(action)
            env.reset()
            preferences[action] += learning_rate * (reward - 0.5)
        preferences -= preferences.max()
        after = np.exp(preferences) / np.exp(preferences).sum()
        if monitor is not None:
            monitor.update(step + 20, kl=float(np.sum(before * np.log(before / np.maximum(after, 1e-12)))))
    return Agent(preferences)
"""


def bandit(rate: float) -> str:
    """A policy of two preferences that learns with this rate, in a loop of its own."""
    return BANDIT.replace("RATE", str(rate))


def project(folder: Path, text: str, name: str = "project.py") -> str:
    """A project in a file of its own."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return str(file)
