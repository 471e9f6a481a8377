"""A PPO that asks its critic after each step: about what was seen before it, and about what followed.

Its normaliser learns after each update alone, so that its bounds cut a column off in the first rollout.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

from tests.monitor.reading.continuous_ppo import BOUND, CLIP, GAMMA, LAMBDA, Raft

MEMBERS, STEPS, EPOCHS, MINIBATCH, WIDEST = 4, 64, 4, 64, 5.0


class Bay(Raft):
    """A raft that also sees the height of the sun, which is far from 0."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (5,), np.float32)

    def look(self) -> np.ndarray:
        self.sun = getattr(self, "sun", self.np_random.uniform(90.0, 270.0)) + 0.25
        return np.append(super().look(), np.float32(self.sun))


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 2))
        self.critic = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1))
        self.log_std = nn.Parameter(torch.zeros(2))

    def act(self, seen: torch.Tensor) -> Any:
        return torch.distributions.Normal(self.actor(seen), self.log_std.exp())


class Normaliser:
    def __init__(self) -> None:
        self.centre, self.scale = np.zeros(5), np.ones(5)

    def learn(self, rows: np.ndarray) -> None:
        self.centre, self.scale = rows.mean(axis=0), rows.std(axis=0) + 1e-6

    def __call__(self, seen: np.ndarray) -> torch.Tensor:
        given = ((seen - self.centre) / self.scale).clip(-WIDEST, WIDEST)
        return torch.as_tensor(given.astype(np.float32))


def train(updates: int = 2, *, cut_for_ever: bool = False) -> None:
    """Trains; with its fault the normaliser never learns, so that what its bounds cut off stays cut off."""
    torch.manual_seed(0)
    envs = [gymnasium.wrappers.TimeLimit(Bay(), 30) for _ in range(MEMBERS)]
    agent, normaliser = Agent(), Normaliser()
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    raw = np.stack([env.reset(seed=place)[0] for place, env in enumerate(envs)])
    for _ in range(updates):
        rows: list[dict[str, Any]] = []
        seen_raw = []
        for _ in range(STEPS):
            seen = normaliser(raw)
            with torch.no_grad():
                chance = agent.act(seen)
            action = chance.sample()
            steps = [env.step(one) for env, one in zip(envs, action.numpy().clip(-BOUND, BOUND), strict=True)]
            after = np.stack([each[0] for each in steps])
            with torch.no_grad():
                value, following = agent.critic(normaliser(raw))[:, 0], agent.critic(normaliser(after))[:, 0]
            terminated = torch.tensor([float(each[2]) for each in steps])
            ended = torch.tensor([float(each[2] or each[3]) for each in steps])
            reward = torch.tensor([float(each[1]) for each in steps])
            rows.append({
                "seen": seen, "action": action, "log": chance.log_prob(action).sum(-1), "value": value, "ended": ended,
                "error": reward + GAMMA * (1.0 - terminated) * following - value,
            })  # fmt: skip
            seen_raw.append(raw)
            raw = np.stack([env.reset()[0] if e[2] or e[3] else e[0] for env, e in zip(envs, steps, strict=True)])
        learn(agent, optimizer, rows)
        if not cut_for_ever:
            normaliser.learn(np.concatenate(seen_raw))


def learn(agent: Agent, optimizer: torch.optim.Optimizer, rows: list[dict[str, Any]]) -> None:
    """One update from a rollout."""
    later, advantages = torch.zeros(MEMBERS), []
    for row in reversed(rows):
        later = row["error"] + GAMMA * LAMBDA * (1.0 - row["ended"]) * later
        advantages.insert(0, later)
    above = torch.cat(advantages)
    seen, action, log, value = (torch.cat([row[name] for row in rows]) for name in ("seen", "action", "log", "value"))
    weights = (above - above.mean()) / above.std()
    for _ in range(EPOCHS):
        for index in torch.randperm(len(above)).split(MINIBATCH):
            ratio = (agent.act(seen[index]).log_prob(action[index]).sum(-1) - log[index]).exp()
            gain = torch.min(ratio * weights[index], ratio.clamp(1 - CLIP, 1 + CLIP) * weights[index]).mean()
            error = ((agent.critic(seen[index])[:, 0] - (above + value)[index]) ** 2).mean()
            optimizer.zero_grad()
            (0.5 * error - gain).backward()
            optimizer.step()
