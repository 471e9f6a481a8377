"""A PPO written by hand, for Acrobot, that normalises what it sees by a running mean and spread; a monitor listens.

What is wrong: the rollout is collected with the statistics as they were, then they are renewed from it, and the update
normalises the same observations anew. The old log-probabilities belong to a policy that saw something else, so that
the ratio is not 1 before the first gradient step.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import torch
from gymnasium.spaces import flatdim, flatten
from torch import nn
from torch.distributions import Categorical

ROLLOUT, EPOCHS, MINIBATCH = 256, 6, 64
RATE, LAMBDA, CLIP, ENTROPY = 3e-3, 0.95, 0.2, 0.01
steps = 20_000


class Agent(nn.Module):
    def __init__(self, env, gamma):
        super().__init__()
        self.space, self.gamma = env.observation_space, gamma
        inputs, actions = flatdim(self.space), int(env.action_space.n)
        self.actor = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, actions))
        self.critic = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 1))
        self.mean, self.spread, self.count = torch.zeros(inputs), torch.ones(inputs), 0

    def renew(self, observations):
        """Counts a batch into the running mean and spread."""
        self.count += 1
        share = max(1.0 / self.count, 0.05)
        self.mean = self.mean + share * (observations.mean(dim=(0, 1)) - self.mean)
        self.spread = self.spread + share * (observations.std(dim=(0, 1)) - self.spread)

    def normalised(self, observations):
        return (observations - self.mean) / (self.spread + 1e-2)

    def get_action_and_value(self, observations, actions=None):
        inputs = self.normalised(observations)
        policy = Categorical(logits=self.actor(inputs))
        actions = policy.sample() if actions is None else actions
        return actions, policy.log_prob(actions), policy.entropy(), self.critic(inputs)[..., 0]

    def seen(self, observation):
        return torch.as_tensor(flatten(self.space, observation), dtype=torch.float32)[None]

    @torch.no_grad()
    def act(self, observation):
        return int(self.actor(self.normalised(self.seen(observation))).argmax())

    @torch.no_grad()
    def value(self, observation):
        return self.critic(self.normalised(self.seen(observation))).item()


def make_env():
    return gym.make("Acrobot-v1")


def train(make_env, steps, seed, gamma=0.98, monitor=None):
    torch.manual_seed(seed)
    env = make_env()
    agent = Agent(env, gamma)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    observation, earned, length = agent.seen(env.reset(seed=seed)[0]), 0.0, 0
    for step in range(ROLLOUT, max(steps, ROLLOUT) + 1, ROLLOUT):
        rows = []
        for _ in range(ROLLOUT):
            with torch.no_grad():
                action, log_prob, _, value = agent.get_action_and_value(observation)
                after, reward, terminated, truncated, _ = env.step(int(action))
                after, earned, length = agent.seen(after), earned + reward, length + 1
                following = agent.get_action_and_value(after)[3]
            ends = torch.tensor([[reward], [terminated], [truncated]], dtype=torch.float32)
            rows.append([observation, action, log_prob, value, following, *ends])
            observation = after
            if terminated or truncated:
                if monitor:
                    monitor.episode(step, earned, length)
                observation, earned, length = agent.seen(env.reset()[0]), 0.0, 0
        kept = [torch.stack(column) for column in zip(*rows, strict=True)]
        observations, actions, log_probs, values, following, rewards, terminated, truncated = kept
        agent.renew(observations)
        advantages, ahead = torch.zeros_like(rewards), 0.0
        for at in reversed(range(ROLLOUT)):
            delta = rewards[at] + gamma * (1 - terminated[at]) * following[at] - values[at]
            ahead = delta + gamma * LAMBDA * (1 - terminated[at]) * (1 - truncated[at]) * ahead
            advantages[at] = ahead
        returns = advantages + values
        if monitor:
            monitor.rollout(
                step, observations=observations, actions=actions, log_probs=log_probs, rewards=rewards, values=values,
                terminated=terminated, truncated=truncated, last_value=following[-1], final_values=following,
                advantages=advantages, returns=returns, gamma=gamma, lam=LAMBDA, policy=agent, optimizers=optimizer,
                epochs=EPOCHS, clip_range=CLIP,
            )  # fmt: skip
        batch = [part.flatten(0, 1) for part in (observations, actions, log_probs, advantages, returns)]
        numbers = update(agent, optimizer, batch)
        if monitor:
            monitor.update(step, numbers)
    return agent


def update(agent, optimizer, batch):
    kls, clipped = [], []
    for _ in range(EPOCHS):
        for rows in torch.randperm(ROLLOUT).split(MINIBATCH):
            observations, actions, old_log_probs, advantages, returns = (part[rows] for part in batch)
            _, log_probs, entropy, values = agent.get_action_and_value(observations, actions)
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            ratio = (log_probs - old_log_probs).exp()
            gain = torch.min(advantages * ratio, advantages * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            value_loss = nn.functional.mse_loss(values, returns)
            optimizer.zero_grad()
            (-gain - ENTROPY * entropy.mean() + 0.5 * value_loss).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            kls.append((ratio - 1 - ratio.log()).mean().item())
            clipped.append(((ratio - 1).abs() > CLIP).float().mean().item())
    told = {"policy_loss": -gain.item(), "value_loss": value_loss.item(), "entropy": entropy.mean().item()}
    return {**told, "kl": np.mean(kls), "clip_fraction": np.mean(clipped)}
