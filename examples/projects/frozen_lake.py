"""A DQN written by hand, for a lake that is frozen but not slippery, with a small replay memory in a list.

What is wrong: the reward that is stored with a step is the one of the step before it. What the goal pays is stored with
the first step of the next episode, and no step that leads to the goal is ever paid.
"""

from __future__ import annotations

import copy
import random

import gymnasium as gym
import numpy as np
import torch
from gymnasium.spaces import flatdim, flatten
from torch import nn

BATCH, STARTS, TRAIN_EVERY, SYNC_EVERY, RATE = 32, 64, 4, 100, 3e-3
steps = 15_000


class Agent:
    def __init__(self, env, gamma):
        self.space, self.actions, self.gamma = env.observation_space, int(env.action_space.n), gamma
        self.network = nn.Sequential(
            nn.Linear(flatdim(self.space), 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, self.actions)
        )

    def seen(self, observation):
        return np.asarray(flatten(self.space, observation), dtype=np.float32)

    @torch.no_grad()
    def q(self, observation):
        return self.network(torch.as_tensor(self.seen(observation))).numpy()

    def act(self, observation):
        return int(self.q(observation).argmax())


def make_env():
    return gym.make("FrozenLake-v1", is_slippery=False)


def train(make_env, steps, seed, gamma=0.98):
    torch.manual_seed(seed)
    draws = random.Random(seed)
    env = make_env()
    agent = Agent(env, gamma)
    target = copy.deepcopy(agent.network)
    optimizer = torch.optim.Adam(agent.network.parameters(), lr=RATE)
    memory = []
    state, reward = env.reset(seed=seed)[0], 0.0
    for step in range(1, steps + 1):
        epsilon = max(0.05, 1.0 - step / (0.5 * steps))
        action = draws.randrange(agent.actions) if draws.random() < epsilon else agent.act(state)
        next_state, earned, terminated, truncated, _ = env.step(action)
        memory.append((agent.seen(state), action, reward, agent.seen(next_state), terminated))
        state, reward = next_state, earned
        if terminated or truncated:
            state = env.reset()[0]
        if step >= STARTS and step % TRAIN_EVERY == 0:
            learn(agent, target, optimizer, draws.sample(memory, BATCH))
        if step % SYNC_EVERY == 0:
            target.load_state_dict(agent.network.state_dict())
    return agent


def learn(agent, target, optimizer, rows):
    states, actions, rewards, next_states, terminated = (np.array(column) for column in zip(*rows, strict=True))
    goes_on = torch.as_tensor(1.0 - terminated, dtype=torch.float32)
    with torch.no_grad():
        best = target(torch.as_tensor(next_states)).max(dim=1).values
        targets = torch.as_tensor(rewards, dtype=torch.float32) + agent.gamma * goes_on * best
    values = agent.network(torch.as_tensor(states)).gather(1, torch.as_tensor(actions)[:, None])[:, 0]
    optimizer.zero_grad()
    nn.functional.mse_loss(values, targets).backward()
    optimizer.step()
