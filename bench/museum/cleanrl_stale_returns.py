"""PPO whose critic is trained on its own old values.

CleanRL, pull request 337: returns are made of the advantages of the storage, which still hold zeros, and not of those
that were just computed. `--healthy` uses the latter.
"""

import argparse
from dataclasses import dataclass, replace

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Normal

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
torch.manual_seed(args.seed)

num_envs, num_steps, updates, epochs, minibatch = 4, 128, 4, 4, 128
gamma, gae_lambda, clip = 0.99, 0.95, 0.2


@dataclass(frozen=True)
class Storage:
    obs: Tensor
    actions: Tensor
    logprobs: Tensor
    dones: Tensor
    values: Tensor
    rewards: Tensor
    advantages: Tensor
    returns: Tensor


def mlp(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n_out))


class Agent(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.actor_mean, self.critic = mlp(n_obs, n_act), mlp(n_obs, 1)
        self.actor_logstd = nn.Parameter(torch.zeros(1, n_act))

    def dist(self, x):
        mean = self.actor_mean(x)
        return Normal(mean, self.actor_logstd.expand_as(mean).exp())


def compute_gae(storage: Storage, last_value: Tensor, last_done: Tensor) -> Storage:
    advantages = torch.zeros_like(storage.rewards)
    running = torch.zeros(num_envs)
    for t in reversed(range(num_steps)):
        last = t == num_steps - 1
        alive = 1.0 - (last_done if last else storage.dones[t + 1])
        following = last_value if last else storage.values[t + 1]
        delta = storage.rewards[t] + gamma * following * alive - storage.values[t]
        running = delta + gamma * gae_lambda * alive * running
        advantages[t] = running
    if args.healthy:
        return replace(storage, advantages=advantages, returns=advantages + storage.values)
    return replace(storage, advantages=advantages, returns=storage.advantages + storage.values)


envs = gym.vector.SyncVectorEnv([lambda: gym.make("Pendulum-v1", max_episode_steps=1000) for _ in range(num_envs)])
agent = Agent(3, 1)
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
next_obs, next_done = torch.tensor(envs.reset(seed=args.seed)[0]), torch.zeros(num_envs)
for update in range(updates):
    rows = []
    for _ in range(num_steps):
        with torch.no_grad():
            probs, value = agent.dist(next_obs), agent.critic(next_obs).squeeze(-1)
            action = probs.sample()
            logprob = probs.log_prob(action).sum(-1)
        after, reward, terminated, truncated, _ = envs.step(np.clip(action.numpy(), -2.0, 2.0))
        reward = torch.tensor(reward / 10.0, dtype=torch.float32)
        rows.append((next_obs, action, logprob, next_done, value, reward))
        next_obs, next_done = torch.tensor(after), torch.tensor(terminated | truncated, dtype=torch.float32)
    zeros = torch.zeros(num_steps, num_envs)
    storage = Storage(*(torch.stack(column) for column in zip(*rows, strict=True)), advantages=zeros, returns=zeros)
    with torch.no_grad():
        storage = compute_gae(storage, agent.critic(next_obs).squeeze(-1), next_done)

    obs, actions, logprobs, advantages, returns = (
        getattr(storage, name).flatten(0, 1) for name in ("obs", "actions", "logprobs", "advantages", "returns")
    )
    for _ in range(epochs):
        for idx in torch.randperm(num_steps * num_envs).split(minibatch):
            probs = agent.dist(obs[idx])
            ratio = (probs.log_prob(actions[idx]).sum(-1) - logprobs[idx]).exp()
            adv = (advantages[idx] - advantages[idx].mean()) / (advantages[idx].std() + 1e-8)
            pg_loss = torch.max(-adv * ratio, -adv * ratio.clamp(1 - clip, 1 + clip)).mean()
            v_loss = 0.5 * (agent.critic(obs[idx]).squeeze(-1) - returns[idx]).pow(2).mean()
            optimizer.zero_grad()
            (pg_loss + 0.5 * v_loss).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    print(f"update {update}: value loss {v_loss.item():.4f}")
envs.close()
