"""A DQN written by hand, for CartPole: replay, a target network, an epsilon that falls over the first half.

Nothing is wrong with it. It tells a monitor what it does where it is given one.
"""

from __future__ import annotations

import copy
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from gymnasium.spaces import flatdim, flatten
from torch import nn

BATCH, STARTS, SYNC_EVERY, RATE = 64, 100, 50, 2e-3
steps = 15_000


class Agent:
    def __init__(self, env, gamma):
        self.space, self.actions, self.gamma = env.observation_space, int(env.action_space.n), gamma
        self.network = nn.Sequential(
            nn.Linear(flatdim(self.space), 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, self.actions)
        )

    def seen(self, observation):
        return np.asarray(flatten(self.space, observation), dtype=np.float32)

    @torch.no_grad()
    def q(self, observation):
        return self.network(torch.as_tensor(self.seen(observation))).numpy()

    def act(self, observation):
        return int(self.q(observation).argmax())


def make_env():
    return gym.make("CartPole-v1")


def train(make_env, steps, seed, gamma=0.98, monitor=None):
    torch.manual_seed(seed)
    draws = random.Random(seed)
    env = make_env()
    agent = Agent(env, gamma)
    target = copy.deepcopy(agent.network)
    optimizer = torch.optim.Adam(agent.network.parameters(), lr=RATE)
    memory = deque(maxlen=50_000)
    observation, earned, length = env.reset(seed=seed)[0], 0.0, 0
    for step in range(1, steps + 1):
        epsilon = max(0.05, 1.0 - step / (0.5 * steps))
        action = draws.randrange(agent.actions) if draws.random() < epsilon else agent.act(observation)
        after, reward, terminated, truncated, _ = env.step(action)
        memory.append((agent.seen(observation), action, reward, agent.seen(after), terminated, truncated))
        observation, earned, length = after, earned + reward, length + 1
        if terminated or truncated:
            if monitor:
                monitor.episode(step, earned, length)
            observation, earned, length = env.reset()[0], 0.0, 0
        if step >= STARTS and step % 2 == 0:
            optimizer.param_groups[0]["lr"] = RATE * (1 - 0.9 * step / steps)
            learn(agent, target, optimizer, draws.sample(memory, BATCH), step, epsilon, monitor)
        if step % SYNC_EVERY == 0:
            target.load_state_dict(agent.network.state_dict())
    return agent


def learn(agent, target, optimizer, rows, step, epsilon, monitor):
    columns = [torch.as_tensor(np.array(column)) for column in zip(*rows, strict=True)]
    observations, actions, rewards, following, terminated, truncated = columns
    rewards = rewards.float()
    with torch.no_grad():
        best = target(following).max(dim=1).values
        targets = rewards + agent.gamma * best * ~terminated
    values = agent.network(observations).gather(1, actions[:, None])[:, 0]
    loss = nn.functional.smooth_l1_loss(values, targets)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.network.parameters(), 10.0)
    optimizer.step()
    if monitor:
        monitor.update(
            step, loss=loss.item(), q_mean=values.mean().item(), epsilon=epsilon, targets=targets, rewards=rewards,
            next_values=best, terminated=terminated, truncated=truncated, gamma=agent.gamma, values=values,
            online=agent.network, target=target, modules=agent.network, optimizers=optimizer,
        )  # fmt: skip


train.actions, train.steps = "discrete", 1500  # what it takes, and how soon it learns something easy
