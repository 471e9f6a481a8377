"""A PPO whose two continuous actions have a density with two heads: a Beta distribution, or means and spreads."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from tests.monitor.reading.continuous_ppo import BOUND, Raft

MEMBERS, STEPS, GAMMA, LAM = 4, 48, 0.95, 0.9


class Agent(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind, self.trunk = kind, nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.first, self.second, self.critic = nn.Linear(32, 2), nn.Linear(32, 2), nn.Linear(32, 1)
        self.both = nn.Linear(32, 4)

    def forward(self, seen: torch.Tensor) -> tuple[Any, torch.Tensor]:
        inner = self.trunk(seen)
        one, other = (
            self.both(inner).chunk(2, -1) if "one head" in self.kind else (self.first(inner), self.second(inner))
        )
        if self.kind.startswith("gaussian"):
            return torch.distributions.Normal(one, other.exp()), self.critic(inner)[..., 0]
        if "exp" in self.kind:
            return torch.distributions.Beta(one.exp() + 1e-3, other.exp() + 1e-3), self.critic(inner)[..., 0]
        made = [functional.softplus(each) + 1.0 for each in (one, other)]
        return torch.distributions.Beta(*made), self.critic(inner)[..., 0]


def train(kind: str = "beta", fault: str = "", updates: int = 3) -> None:
    """Trains; the fault is one of those that stand below."""
    torch.manual_seed(0)
    envs, agent = [Raft() for _ in range(MEMBERS)], Agent(kind)
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
    seen = torch.as_tensor(np.stack([env.reset(seed=place)[0] for place, env in enumerate(envs)]))
    for _ in range(updates):
        rows: list[tuple[torch.Tensor, ...]] = []
        for _ in range(STEPS):
            with torch.no_grad():
                chance, value = agent(seen)
            action = chance.sample()
            sent = action if kind.startswith("gaussian") else (2.0 * action - 1.0) * BOUND
            steps = [env.step(one) for env, one in zip(envs, sent.numpy(), strict=True)]
            reward, ended = (torch.tensor([float(each[place]) for each in steps]) for place in (1, 2))
            rows.append((seen, action, chance.log_prob(action).sum(-1), value, reward, ended))
            again = [env.reset()[0] if each[2] else each[0] for env, each in zip(envs, steps, strict=True)]
            seen = torch.as_tensor(np.stack(again))
        with torch.no_grad():
            last = agent(seen)[1]
        learn(agent, optimizer, [torch.stack(each) for each in zip(*rows, strict=True)], last, fault)


def learn(
    agent: Agent, optimizer: torch.optim.Optimizer, columns: list[torch.Tensor], last: torch.Tensor, fault: str
) -> None:
    """Three epochs of two minibatches."""
    given, action, old, value, reward, ended = columns
    above, later = torch.zeros(STEPS, MEMBERS), torch.zeros(MEMBERS)
    following = torch.cat([value[1:], last[None]])
    for time in reversed(range(STEPS)):
        later = reward[time] + (1.0 - ended[time]) * GAMMA * (following[time] + LAM * later) - value[time]
        above[time] = later
    flat = [each.flatten(0, 1) for each in (given, action, old, above, above + value)]
    for _ in range(3):
        for some in torch.randperm(STEPS * MEMBERS).chunk(2):
            seen, taken, before, weight, target = (each[some] for each in flat)
            chance, now = agent(seen)
            ratio = (chance.log_prob(taken).sum(-1) - before).exp()
            weight = -weight if fault == "sign flipped" else weight
            gain = torch.min(ratio * weight, ratio.clamp(0.8, 1.2) * weight).mean()
            loss = 0.5 * ((now - target) ** 2).mean() - gain - 0.01 * chance.entropy().sum(-1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
