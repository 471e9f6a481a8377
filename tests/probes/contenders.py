"""Trainers and an environment that are small enough to compare within a second."""

from __future__ import annotations

import os
import signal
import sys
import time

import gymnasium
import numpy as np

SIGNS, LENGTH, RATE, TRIES = 3, 8, 0.2, 0.2


class Signals(gymnasium.Env):
    """One of three signs is shown; naming it pays 1. Eight signs to an episode."""

    observation_space = gymnasium.spaces.Box(0.0, 1.0, (SIGNS,), np.float32)
    action_space = gymnasium.spaces.Discrete(SIGNS)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = LENGTH
        return self.shown(), {}

    def shown(self):
        self.sign = int(self.np_random.integers(SIGNS))
        return np.eye(SIGNS, dtype=np.float32)[self.sign]

    def step(self, action):
        reward = float(action == self.sign)
        self.left -= 1
        return self.shown(), reward, self.left == 0, False, {}


class Table:
    """What each action is worth at each sign."""

    gamma = 0.99

    def __init__(self, seed):
        self.worth = np.zeros((SIGNS, SIGNS))
        self.rng = np.random.default_rng(seed)

    def act(self, observation):
        return int(np.argmax(self.worth[int(np.argmax(observation))]))

    def q(self, observation):
        return self.worth[int(np.argmax(observation))]

    def sample(self, observation):
        return int(self.rng.integers(SIGNS)) if self.rng.random() < TRIES else self.act(observation)


def learner(make_env, steps, seed, rate=RATE):
    agent, env = Table(seed), make_env()
    observation, _ = env.reset(seed=seed)
    for _ in range(steps):
        sign, action = int(np.argmax(observation)), agent.sample(observation)
        observation, reward, terminated, truncated, _ = env.step(action)
        target = reward + agent.gamma * (not terminated) * agent.q(observation).max()
        agent.worth[sign, action] += rate * (target - agent.worth[sign, action])
        if terminated or truncated:
            observation, _ = env.reset()
    return agent


def guesser(make_env, steps, seed, gamma=0.9):
    """Plays and learns nothing; its values are far too large."""
    agent = learner(make_env, steps, seed, rate=0.0)
    agent.worth = np.random.default_rng(seed).uniform(50.0, 60.0, (SIGNS, SIGNS))
    agent.act = lambda observation: int(agent.rng.integers(SIGNS))
    return agent


def raises(make_env, steps, seed):
    raise ValueError("a shape is wrong")


def exits(make_env, steps, seed):
    sys.exit(3)


def dies(make_env, steps, seed):
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs(make_env, steps, seed):
    time.sleep(600)


def asks_too_much(make_env, steps, seed):
    agent = learner(make_env, steps, seed)
    agent.log_prob = lambda observation, action: {}["nothing"]
    return agent


def in_processes(make_env, steps, seed):
    """Its environments live in processes of their own."""
    envs = gymnasium.vector.AsyncVectorEnv([make_env] * 2)
    envs.reset(seed=seed)
    for _ in range(steps // 2):
        envs.step(np.zeros(2, int))
    envs.close()
    return Table(seed)
