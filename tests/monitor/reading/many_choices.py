"""An actor-critic with a head for each of two choices, one of them masked, over a list of environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

MEMBERS, STEPS, GAMMA, LAM, BONUS = 8, 20, 0.9, 0.8, 0.02


class Shop(gymnasium.Env[np.ndarray, np.ndarray]):
    """Three queues: which to serve, the fourth being none, and whether in haste; an empty one cannot be served."""

    observation_space = gymnasium.spaces.Box(0.0, 1.0, (3,), np.float32)
    action_space = gymnasium.spaces.MultiDiscrete([4, 2])

    def look(self) -> tuple[np.ndarray, np.ndarray]:
        return self.jobs.astype(np.float32) / 8.0, np.append(self.jobs >= 1.0, True)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.jobs, self.clock = self.np_random.uniform(0.0, 4.0, 3), 0
        seen, open_ = self.look()
        return seen, {"mask": open_}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        queue, haste = int(action[0]), int(action[1])
        if queue < 3:
            self.jobs[queue] = max(0.0, self.jobs[queue] - 1.0 - haste)
        self.jobs = np.minimum(self.jobs + self.np_random.uniform(0.0, 0.6, 3), 8.0)
        self.clock += 1
        seen, open_ = self.look()
        return seen, -float(self.jobs.sum()) - 0.5 * haste, False, self.clock >= 30, {"mask": open_}


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, 32), nn.Tanh())
        self.queue, self.haste, self.critic = nn.Linear(32, 4), nn.Linear(32, 2), nn.Linear(32, 1)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        inner = self.trunk(seen)
        return self.queue(inner), self.haste(inner), self.critic(inner)[..., 0]


def choose(queue: torch.Tensor, haste: torch.Tensor, mask: torch.Tensor) -> list[torch.distributions.Categorical]:
    """What both choices are drawn from."""
    closed = queue.masked_fill(~mask, -1e9)
    return [torch.distributions.Categorical(logits=each, validate_args=False) for each in (closed, haste)]


def train(fault: str = "", updates: int = 3) -> None:
    """Trains; the fault is one of those that stand below."""
    torch.manual_seed(0)
    shops, agent = [Shop() for _ in range(MEMBERS)], Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    begun = [shop.reset(seed=place) for place, shop in enumerate(shops)]
    seen, mask = np.stack([each[0] for each in begun]), np.stack([each[1]["mask"] for each in begun])
    late = np.zeros(MEMBERS, np.float32)
    for _ in range(updates):
        rows: list[tuple[Any, ...]] = []
        for _ in range(STEPS):
            given, allowed = torch.as_tensor(seen), torch.as_tensor(mask)
            with torch.no_grad():
                queue, haste, _ = agent(given)
            action = torch.stack([each.sample() for each in choose(queue, haste, allowed)], dim=1)
            done = action.numpy().copy()
            if fault == "another queue":
                done[:, 0] = (done[:, 0] + 1) % 4
            steps = [shop.step(one) for shop, one in zip(shops, done, strict=True)]
            ended = np.array([each[3] for each in steps])
            reward = np.array([each[1] for each in steps], np.float32)
            with torch.no_grad():
                after = agent(torch.as_tensor(np.stack([each[0] for each in steps])))[2]
            paid = late if fault == "reward late" else np.sign(reward) if fault == "rewards as signs" else reward
            late = np.where(ended, np.float32(0.0), reward)
            rows.append((given, allowed, action, torch.as_tensor(0.1 * paid), after, torch.as_tensor(ended).float()))
            begun = [
                shop.reset() if over else (each[0], each[4])
                for shop, each, over in zip(shops, steps, ended, strict=True)
            ]
            seen, mask = np.stack([each[0] for each in begun]), np.stack([each[1]["mask"] for each in begun])
        learn(agent, optimizer, rows, fault)


def learn(agent: Agent, optimizer: torch.optim.Optimizer, rows: list[tuple[Any, ...]], fault: str) -> None:
    """One update from a whole rollout."""
    given, allowed, action, reward, after, ended = (torch.stack(each) for each in zip(*rows, strict=True))
    queue, haste, value = agent(given)
    chances = choose(queue, haste, allowed | (fault == "mask left out"))
    logs = [each.log_prob(action[..., place]) for place, each in enumerate(chances)]
    above, later = torch.zeros(STEPS, MEMBERS), torch.zeros(MEMBERS)
    for time in reversed(range(STEPS)):
        error = reward[time] + GAMMA * after[time] - value[time].detach()
        later = error + GAMMA * LAM * (1.0 - ended[time]) * later
        above[time] = later
    scored = logs[0] if fault == "one choice scored" else logs[0] + logs[1]
    entropy = sum(each.entropy() for each in chances)
    loss = -(scored * above).mean() + 0.5 * ((value - above - value.detach()) ** 2).mean() - BONUS * entropy.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
