"""A PPO written by hand, for CartPole: sixteen environments side by side, advantages by GAE, a clipped ratio.

What is wrong: the value ahead is multiplied by 1 - done, and done is also set where the time limit cut an episode off.
A pole that stands after 500 steps is taken for one that has fallen.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import torch
from gymnasium.spaces import flatdim, flatten
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation
from torch import nn
from torch.distributions import Categorical

MEMBERS, ROLLOUT, EPOCHS, MINIBATCH = 16, 16, 6, 128
RATE, LAMBDA, CLIP, ENTROPY = 5e-3, 0.95, 0.2, 0.01
steps = 30_000


def network(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, outputs))


class Agent:
    def __init__(self, env, gamma):
        self.space, self.gamma = env.observation_space, gamma
        self.actor = network(flatdim(self.space), int(env.action_space.n))
        self.critic = network(flatdim(self.space), 1)
        self.parameters = [*self.actor.parameters(), *self.critic.parameters()]

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


def train(make_env, steps, seed, gamma=0.98):
    torch.manual_seed(seed)
    made = [make_env() for _ in range(MEMBERS)]
    agent = Agent(made[0], gamma)
    envs = SyncVectorEnv(
        [lambda env=env: FlattenObservation(env) for env in made], autoreset_mode=AutoresetMode.DISABLED
    )
    optimizer = torch.optim.Adam(agent.parameters, lr=RATE, eps=1e-5)
    observation = tensor(envs.reset(seed=seed)[0])
    rounds = max(1, steps // (MEMBERS * ROLLOUT))
    for done in range(rounds):
        optimizer.param_groups[0]["lr"] = RATE * (1 - 0.9 * done / rounds)
        batch, observation = collect(envs, agent, observation)
        update(agent, optimizer, batch)
    envs.close()
    return agent


def tensor(array):
    return torch.as_tensor(array, dtype=torch.float32)


@torch.no_grad()
def collect(envs, agent, observation):
    rows = []
    for _ in range(ROLLOUT):
        policy = Categorical(logits=agent.actor(observation))
        action = policy.sample()
        after, reward, terminated, truncated, _ = envs.step(action.numpy())
        done = np.logical_or(terminated, truncated)
        values = agent.critic(observation)[:, 0], agent.critic(tensor(after))[:, 0]
        rows.append([observation, action, policy.log_prob(action), tensor(reward), *values, tensor(done)])
        observation = tensor(envs.reset(options={"reset_mask": done})[0] if done.any() else after)
    observations, actions, log_probs, rewards, values, following, dones = map(torch.stack, zip(*rows, strict=True))
    advantages, ahead = torch.zeros_like(rewards), torch.zeros(MEMBERS)
    for step in reversed(range(ROLLOUT)):
        delta = rewards[step] + agent.gamma * (1 - dones[step]) * following[step] - values[step]
        advantages[step] = ahead = delta + agent.gamma * LAMBDA * (1 - dones[step]) * ahead
    batch = observations, actions, log_probs, advantages, advantages + values
    return [part.flatten(0, 1) for part in batch], observation


def update(agent, optimizer, batch):
    for _ in range(EPOCHS):
        for rows in torch.randperm(MEMBERS * ROLLOUT).split(MINIBATCH):
            observations, actions, old_log_probs, advantages, returns = (part[rows] for part in batch)
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            policy = Categorical(logits=agent.actor(observations))
            ratio = (policy.log_prob(actions) - old_log_probs).exp()
            gain = torch.min(advantages * ratio, advantages * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            value_loss = nn.functional.mse_loss(agent.critic(observations)[:, 0], returns)
            optimizer.zero_grad()
            (-gain - ENTROPY * policy.entropy().mean() + 0.5 * value_loss).backward()
            nn.utils.clip_grad_norm_(agent.parameters, 0.5)
            optimizer.step()
