"""Expected SARSA in lock-step: environments side by side, one update after every step of all of them, no replay."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.nn import functional

SIDE, GAMMA, MEMBERS = 4, 0.95, 16
MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))


class Places(gymnasium.Env[np.ndarray, int]):
    """A square of cells with a goal in a corner, seen as two whole numbers."""

    observation_space = gymnasium.spaces.MultiDiscrete([SIDE, SIDE])
    action_space = gymnasium.spaces.Discrete(len(MOVES))

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = np.array(divmod(int(self.np_random.integers(1, SIDE * SIDE)), SIDE))
        return self.place.copy(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        moved = np.clip(self.place + MOVES[int(action)], 0, SIDE - 1)
        reward = -1.0 if np.any(moved != self.place) else -3.0
        self.place = moved
        there = not moved.any()
        return moved.copy(), 10.0 if there else reward, there, False, {}


def encode(places: np.ndarray) -> torch.Tensor:
    """A vector of ones and zeros for each place."""
    columns = [functional.one_hot(torch.as_tensor(column), SIDE) for column in places.T]
    return torch.cat(columns, 1).float()


def train(fault: str = "", drawn: float = 0.5, falls: float = 1e-3, steps: int = 90) -> None:
    """Trains with a share of random actions that falls by so much a step; the faults stand below."""
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    envs = [gymnasium.wrappers.TimeLimit(Places(), 30) for _ in range(MEMBERS)]
    seen = np.stack([env.reset(seed=place)[0] for place, env in enumerate(envs)])
    online = nn.Sequential(nn.Linear(2 * SIDE, 32), nn.ReLU(), nn.Linear(32, len(MOVES)))
    slow = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=5e-3)
    for step in range(steps):
        epsilon = max(drawn - falls * step, 0.0)
        with torch.no_grad():
            best = online(encode(seen)).argmax(1).numpy()
        actions = np.where(random.random(MEMBERS) < epsilon, random.integers(len(MOVES), size=MEMBERS), best)
        after, fresh, rewards, ended = seen.copy(), seen.copy(), np.zeros(MEMBERS), np.zeros(MEMBERS)
        for place, env in enumerate(envs):
            after[place], rewards[place], terminated, truncated, _ = env.step(int(actions[place]))
            ended[place] = terminated
            fresh[place] = env.reset()[0] if terminated or truncated else after[place]
        with torch.no_grad():
            ahead = slow(encode(after))
            worth = (1.0 - epsilon) * ahead.max(1).values + epsilon * ahead.mean(1)
            worth = ahead.mean(1) if fault == "mean" else worth
            goes_on = 1.0 if fault == "ends ignored" else torch.as_tensor(1.0 - ended).float()
            target = torch.as_tensor(rewards).float() + GAMMA * goes_on * worth
        values = online(encode(seen))[torch.arange(MEMBERS), torch.as_tensor(actions)]
        optimizer.zero_grad()
        functional.mse_loss(values, target).backward()
        optimizer.step()
        seen = fresh
        if step % 25 == 24:
            slow.load_state_dict(online.state_dict())
