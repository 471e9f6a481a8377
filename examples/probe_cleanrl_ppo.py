"""A PPO in a single file, in the manner of CleanRL, made ready for probes.

    weaklink probe examples/probe_cleanrl_ppo.py:train

What a script needs for this is at its two ends: the training is a function of `make_env, steps, seed, gamma`, and what
it returns has `act` and, because there is a critic, `value`.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from gymnasium.spaces import Discrete, flatdim, flatten
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch import nn
from torch.distributions import Categorical, Normal

MEMBERS, ROLLOUT, EPOCHS, MINIBATCH = 16, 16, 6, 128
LEARNING_RATE, LAMBDA, CLIP, ENTROPY_COEF, VALUE_COEF = 5e-3, 0.95, 0.2, 0.01, 0.5


def network(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, outputs))


class Agent(nn.Module):
    def __init__(self, observation_space, action_space, gamma):
        super().__init__()
        self.observation_space, self.action_space, self.gamma = observation_space, action_space, gamma
        self.discrete = isinstance(action_space, Discrete)
        outputs = int(action_space.n) if self.discrete else action_space.shape[0]
        self.critic = network(flatdim(observation_space), 1)
        self.actor = network(flatdim(observation_space), outputs)
        self.log_std = nn.Parameter(torch.full((1 if self.discrete else outputs,), -0.5))

    def policy(self, observations):
        logits = self.actor(observations)
        return Categorical(logits=logits) if self.discrete else Normal(logits, self.log_std.exp().expand_as(logits))

    def log_probs(self, observations, actions):
        policy = self.policy(observations)
        found, entropy = policy.log_prob(actions), policy.entropy()
        return (found, entropy) if self.discrete else (found.sum(-1), entropy.sum(-1))

    def to_env(self, actions):
        """Actions for the environment: the policy works in [-1, 1], whatever the bounds are."""
        if self.discrete:
            return actions.numpy()
        low, high = self.action_space.low, self.action_space.high
        return low + (np.clip(actions.numpy(), -1, 1) + 1) / 2 * (high - low)

    # The methods below are all that a probe asks for; each takes one observation as the environment gives it.

    @torch.no_grad()
    def act(self, observation):
        policy = self.policy(self.seen(observation))
        return self.to_env(policy.mode)[0]

    @torch.no_grad()
    def sample(self, observation):
        return self.to_env(self.policy(self.seen(observation)).sample())[0]

    @torch.no_grad()
    def value(self, observation):
        return self.critic(self.seen(observation)).item()

    def seen(self, observation):
        return torch.as_tensor(flatten(self.observation_space, observation), dtype=torch.float32).unsqueeze(0)


def train(make_env, steps, seed, gamma=0.9):
    torch.manual_seed(seed)
    made = [make_env() for _ in range(MEMBERS)]
    agent = Agent(made[0].observation_space, made[0].action_space, gamma)
    flat = [gymnasium.wrappers.FlattenObservation(env) for env in made]
    envs = SyncVectorEnv([lambda env=env: env for env in flat], autoreset_mode=AutoresetMode.DISABLED)
    optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE, eps=1e-5)
    rounds = max(1, steps // (MEMBERS * ROLLOUT))
    observation = tensor(envs.reset(seed=seed)[0])
    for done in range(rounds):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - 0.9 * done / rounds)
        batch, observation = rollout(envs, agent, observation)
        update(agent, optimizer, batch)
    envs.close()
    return agent


def tensor(array):
    return torch.as_tensor(array, dtype=torch.float32)


@torch.no_grad()
def rollout(envs, agent, observation):
    kept = []
    for _ in range(ROLLOUT):
        action = agent.policy(observation).sample()
        log_prob, _ = agent.log_probs(observation, action)
        after, reward, terminated, truncated, _ = envs.step(agent.to_env(action))
        row = [observation, action, log_prob, tensor(reward), agent.critic(observation)[:, 0]]
        observation = tensor(after)
        row += [agent.critic(observation)[:, 0], tensor(terminated), tensor(terminated | truncated)]
        kept.append(row)
        if (terminated | truncated).any():
            observation = tensor(envs.reset(options={"reset_mask": terminated | truncated})[0])
    observations, actions, log_probs, rewards, values, following, terminated, ended = map(torch.stack, zip(*kept))  # noqa: B905
    advantages = gae(rewards, values, following, terminated, ended, agent.gamma)
    rows = observations, actions, log_probs, advantages, advantages + values
    return [part.flatten(0, 1) for part in rows], observation


def gae(rewards, values, following, terminated, ended, gamma):
    advantages, ahead = torch.zeros_like(rewards), torch.zeros(MEMBERS)
    for step in reversed(range(ROLLOUT)):  # a terminal has no value ahead, a time limit has
        delta = rewards[step] + gamma * (1 - terminated[step]) * following[step] - values[step]
        ahead = delta + gamma * LAMBDA * (1 - ended[step]) * ahead
        advantages[step] = ahead
    return advantages


def update(agent, optimizer, batch):
    for _ in range(EPOCHS):
        for rows in torch.randperm(MEMBERS * ROLLOUT).split(MINIBATCH):
            observations, actions, old_log_probs, advantages, returns = (part[rows] for part in batch)
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            log_probs, entropy = agent.log_probs(observations, actions)
            ratio = (log_probs - old_log_probs).exp()
            gain = torch.min(advantages * ratio, advantages * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            value_loss = ((agent.critic(observations)[:, 0] - returns) ** 2).mean()
            loss = -gain - ENTROPY_COEF * entropy.mean() + VALUE_COEF * value_loss
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
