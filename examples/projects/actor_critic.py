"""An advantage actor-critic written by hand, for CartPole: whole episodes, the critic's values as a baseline.

What is wrong: the critic's output has one column and the returns have none. Subtracted from each other they make a
square of every value against every return, without an error, and the critic learns the mean of the batch.
"""

from __future__ import annotations

import gymnasium as gym
import torch
from gymnasium.spaces import flatdim, flatten
from torch import nn
from torch.distributions import Categorical

RATE, ENTROPY, EPISODES = 5e-3, 0.01, 8
steps = 20_000


class Agent:
    def __init__(self, env, gamma):
        self.space, self.gamma = env.observation_space, gamma
        inputs, actions = flatdim(self.space), int(env.action_space.n)
        self.actor = nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, actions))
        self.critic = nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, 1))

    def seen(self, observation):
        return torch.as_tensor(flatten(self.space, observation), dtype=torch.float32)

    @torch.no_grad()
    def act(self, observation):
        return int(self.actor(self.seen(observation)).argmax())

    @torch.no_grad()
    def sample(self, observation):
        return int(Categorical(logits=self.actor(self.seen(observation))).sample())

    @torch.no_grad()
    def value(self, observation):
        return self.critic(self.seen(observation)).item()


def make_env():
    return gym.make("CartPole-v1")


def train(make_env, steps, seed, gamma=0.99):
    torch.manual_seed(seed)
    env = make_env()
    env.reset(seed=seed)
    agent = Agent(env, gamma)
    optimizer = torch.optim.Adam([*agent.actor.parameters(), *agent.critic.parameters()], lr=RATE)
    taken = 0
    while taken < steps:
        episodes = [play(env, agent) for _ in range(EPISODES)]
        observations, actions, values, returns = (torch.cat(column) for column in zip(*episodes, strict=True))
        taken += len(actions)
        advantages = returns - values
        policy = Categorical(logits=agent.actor(observations))
        actor_loss = -(policy.log_prob(actions) * advantages).mean()
        critic_loss = ((agent.critic(observations) - returns) ** 2).mean()
        optimizer.zero_grad()
        (actor_loss + 0.5 * critic_loss - ENTROPY * policy.entropy().mean()).backward()
        optimizer.step()
    return agent


def play(env, agent):
    """One episode: observations, actions, values, and the discounted returns."""
    observation, rows, rewards, ended = env.reset()[0], [], [], False
    while not ended:
        seen, action = agent.seen(observation), agent.sample(observation)
        rows.append((seen, torch.tensor(action), torch.tensor(agent.value(observation))))
        observation, reward, terminated, truncated, _ = env.step(action)
        rewards.append(reward)
        ended = terminated or truncated
    ahead, returns = (0.0 if terminated else agent.value(observation)), []
    for reward in reversed(rewards):
        ahead = reward + agent.gamma * ahead
        returns.insert(0, ahead)
    return (*(torch.stack(column) for column in zip(*rows, strict=True)), torch.tensor(returns, dtype=torch.float32))
