"""An actor-critic with tables, right and with faults: small enough to climb a rung within a second."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

VALUE_RATE, POLICY_RATE = 0.1, 0.2


class Tables:
    def __init__(self, count, gamma):
        self.count, self.gamma = count, gamma
        self.logits = defaultdict(lambda: np.zeros(count))
        self.values = defaultdict(float)

    def act(self, observation):
        return int(np.argmax(self.logits[key(observation)]))

    def value(self, observation):
        return self.values[key(observation)]

    def chances(self, observation):
        logits = self.logits[key(observation)]
        chances = np.exp(logits - logits.max())
        return chances / chances.sum()


def key(observation):
    return np.asarray(observation).tobytes()


def train(make_env, steps, seed, gamma=0.9, *, sign=1.0, looks_ahead=True):
    rng, env = np.random.default_rng(seed), make_env()
    observation, _ = env.reset(seed=seed)
    agent = Tables(int(env.action_space.n), gamma)
    for _ in range(steps):
        chances = agent.chances(observation)
        action = int(rng.choice(agent.count, p=chances))
        after, reward, terminated, truncated, _ = env.step(action)
        ahead = gamma * looks_ahead * (not terminated) * agent.value(after)
        error = reward + ahead - agent.value(observation)
        agent.values[key(observation)] += VALUE_RATE * error
        agent.logits[key(observation)] += sign * POLICY_RATE * error * (np.eye(agent.count)[action] - chances)
        observation = env.reset()[0] if terminated or truncated else after
    return agent


def upside_down(make_env, steps, seed, gamma=0.9):
    """The sign of the policy's update is wrong."""
    return train(make_env, steps, seed, gamma, sign=-1.0)


def short_sighted(make_env, steps, seed, gamma=0.9):
    """What comes later counts for nothing."""
    return train(make_env, steps, seed, gamma, looks_ahead=False)


class Mute:
    def __init__(self, agent):
        self.act = agent.act


def mute(make_env, steps, seed, gamma=0.9):
    """Shows its actions and nothing else."""
    return Mute(train(make_env, steps, seed, gamma))


def raises(make_env, steps, seed):
    raise ValueError("a shape is wrong")


for trainer in (train, upside_down, short_sighted, mute, raises):
    trainer.actions, trainer.forms, trainer.steps = ("discrete",), (), 1000
