"""A SAC written by hand, for the pendulum, that tells a monitor what it does.

What is wrong: the loss of the temperature has the wrong sign. Where the policy is more random than it should be, the
temperature rises and makes it more random still; where it is less random, the temperature falls to nothing.
"""

from __future__ import annotations

import copy
import random

import gymnasium as gym
import numpy as np
import torch
from gymnasium.spaces import flatdim, flatten
from torch import nn
from torch.distributions import Normal

BATCH, STARTS, TRAIN_EVERY, RATE, TAU = 64, 100, 4, 3e-3, 0.05
steps = 6_000


def make_env():
    env = gym.wrappers.RescaleAction(gym.make("Pendulum-v1"), np.float32(-1.0), np.float32(1.0))
    return gym.wrappers.TransformReward(env, lambda reward: reward / 10.0)


def network(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, outputs))


class Agent:
    def __init__(self, env, gamma):
        self.space, self.actions, self.gamma = env.observation_space, env.action_space, gamma
        self.size = self.actions.shape[0]
        self.actor = network(flatdim(self.space), 2 * self.size)
        self.critics = nn.ModuleList(network(flatdim(self.space) + self.size, 1) for _ in range(2))
        self.log_alpha = torch.tensor(-2.0, requires_grad=True)

    def seen(self, observation):
        return torch.as_tensor(flatten(self.space, observation), dtype=torch.float32)

    def drawn(self, observations):
        mean, log_std = self.actor(observations).chunk(2, dim=-1)
        policy = Normal(mean, log_std.clamp(-5, 1).exp())
        plain = policy.rsample()
        log_prob = policy.log_prob(plain) - torch.log(1 - torch.tanh(plain) ** 2 + 1e-6)
        return torch.tanh(plain), log_prob.sum(-1)

    def to_env(self, action):
        low, high = self.actions.low, self.actions.high
        return (low + (action.numpy() + 1) / 2 * (high - low)).astype(np.float32)

    @torch.no_grad()
    def act(self, observation):
        return self.to_env(torch.tanh(self.actor(self.seen(observation))[: self.size]))

    @torch.no_grad()
    def sample(self, observation):
        return self.to_env(self.drawn(self.seen(observation))[0])

    @property
    def temperature(self):
        return float(self.log_alpha.detach().exp())


def least(critics, observations, actions):
    return torch.cat([each(torch.cat([observations, actions], 1)) for each in critics], 1).min(dim=1).values


def train(make_env, steps, seed, gamma=0.95, monitor=None):
    torch.manual_seed(seed)
    draws = random.Random(seed)
    env = make_env()
    agent, memory = Agent(env, gamma), []
    slow = copy.deepcopy(agent.critics)
    held = agent.actor.parameters(), agent.critics.parameters(), [agent.log_alpha]
    optimizers = [torch.optim.Adam(part, lr=RATE) for part in held]
    observation, earned, length = env.reset(seed=seed)[0], 0.0, 0
    for step in range(1, steps + 1):
        with torch.no_grad():
            action = agent.drawn(agent.seen(observation))[0]
        after, reward, terminated, truncated, _ = env.step(agent.to_env(action))
        ends = torch.tensor([reward, terminated, truncated], dtype=torch.float32)
        memory.append((agent.seen(observation), action, agent.seen(after), ends))
        observation, earned, length = after, earned + reward, length + 1
        if terminated or truncated:
            if monitor:
                monitor.episode(step, earned, length)
            observation, earned, length = env.reset()[0], 0.0, 0
        if step >= STARTS and step % TRAIN_EVERY == 0:
            numbers = learn(agent, slow, optimizers, draws.sample(memory, BATCH))
            if monitor:
                monitor.update(
                    step, numbers, online=agent.critics, target=slow, modules=[agent.actor, agent.critics],
                    optimizers=optimizers[:2],
                )  # fmt: skip
    return agent


def learn(agent, slow, optimizers, rows):
    observations, actions, following, ends = (torch.stack(column) for column in zip(*rows, strict=True))
    alpha = agent.log_alpha.exp().detach()
    with torch.no_grad():
        ahead, log_prob = agent.drawn(following)
        next_values = least(slow, following, ahead) - alpha * log_prob
        targets = ends[:, 0] + agent.gamma * (1 - ends[:, 1]) * next_values
    values = [each(torch.cat([observations, actions], 1))[:, 0] for each in agent.critics]
    minimised(optimizers[1], sum(nn.functional.mse_loss(each, targets) for each in values))
    drawn, log_prob = agent.drawn(observations)
    minimised(optimizers[0], (alpha * log_prob - least(agent.critics, observations, drawn)).mean())
    minimised(optimizers[2], agent.log_alpha * (log_prob.detach() - agent.size).mean())
    with torch.no_grad():
        for fast, copied in zip(agent.critics.parameters(), slow.parameters(), strict=True):
            copied.lerp_(fast, TAU)
    told = {"targets": targets, "rewards": ends[:, 0], "next_values": next_values, "values": values[0]}
    told |= {"terminated": ends[:, 1] > 0, "truncated": ends[:, 2] > 0, "gamma": agent.gamma}
    return {**told, "alpha": alpha, "entropy": -log_prob.detach().mean(), "target_entropy": -float(agent.size)}


def minimised(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
