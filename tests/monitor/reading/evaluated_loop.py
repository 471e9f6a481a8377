"""A policy gradient written by hand that is evaluated now and then, with faults of the evaluation."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np
import torch
from torch import nn

ROLLOUT, ROUNDS, LENGTH = 80, 9, 26


class Cart(gymnasium.Env):
    """A cart on a line that is pushed towards the middle; `friction` slows it down, `walls` keep it near."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, friction: float = 0.1, walls: bool = False, verbose: bool = False) -> None:
        self._walls, self.verbose, self.moved = walls, verbose, False
        self.friction, self.place, self.speed, self.clock = friction, 0.0, 0.0, 0
        self.best = -100.0  # what an environment keeps of its own past is no constant of it

    def look(self) -> np.ndarray:
        return np.array([40.0 + 10.0 * self.place, self.speed], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.speed, self.clock = float(self.np_random.normal()), 0.0, 0
        return self.look(), {}

    def step(self, action):
        self.speed = (1.0 - self.friction) * self.speed + 0.1 * float(np.clip(action[0], -1.0, 1.0))
        self.place, self.clock, self.moved = self.place + self.speed, self.clock + 1, True
        if self._walls:
            self.place = float(np.clip(self.place, -1.0, 1.0))
        self.best = max(self.best, -abs(self.place))
        return self.look(), -abs(self.place), False, self.clock >= LENGTH, {}


class Normaliser:
    """Running mean and spread of observations."""

    def __init__(self) -> None:
        self.count, self.mean, self.square = 1e-3, np.zeros(2), np.ones(2)

    def add(self, seen: np.ndarray) -> None:
        self.count += 1
        self.mean = self.mean + (seen - self.mean) / self.count
        self.square = self.square + (seen**2 - self.square) / self.count

    def apply(self, seen: np.ndarray) -> torch.Tensor:
        spread = np.sqrt(np.maximum(self.square - self.mean**2, 1e-6))
        return torch.as_tensor((seen - self.mean) / spread, dtype=torch.float32)


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, seen: torch.Tensor) -> torch.distributions.Normal:
        mean, log_std = self.body(seen).chunk(2, dim=-1)
        return torch.distributions.Normal(mean, (log_std - 2.5).exp())


def evaluate(policy: Policy, normaliser: Normaliser, env: gymnasium.Env, fault: str) -> None:
    own = Normaliser()
    for _ in range(5):
        seen, _ = env.reset(seed=7 if fault == "same seed" else None)
        for step in range(LENGTH):
            with torch.no_grad():
                own.add(seen)
                given = {"raw": torch.as_tensor(seen), "own statistics": own.apply(seen)}.get(
                    fault, normaliser.apply(seen)
                )
                action = env.action_space.sample() if fault == "random" else policy(given).mean.numpy()
            seen, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated or (fault == "short" and step == LENGTH // 4):
                break


def train(fault: str = "", seed: int = 0, *, once: bool = False) -> None:
    """Nine rounds, with an evaluation after each, or `once`, after the last."""
    torch.manual_seed(seed)
    env = Cart()
    test_env = Cart(0.5 if fault == "other" else 0.1, walls=fault == "walls", verbose=fault == "talks")
    policy, normaliser = Policy(), Normaliser()
    evaluated = copy.deepcopy(policy) if fault in ("stale", "copied") else policy
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    seen, _ = env.reset(seed=seed)
    test_env.reset(seed=seed + 1)
    for _ in range(ROUNDS):
        rows, actions, rewards = [], [], []
        for _ in range(ROLLOUT):
            normaliser.add(seen)
            given = normaliser.apply(seen)
            with torch.no_grad():
                action = policy(given).sample()
            seen, reward, terminated, truncated, _ = env.step(action.numpy())
            rows.append(given)
            actions.append(action)
            rewards.append(reward)
            if terminated or truncated:
                seen, _ = env.reset()
        gains = torch.as_tensor(np.array(rewards), dtype=torch.float32)
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        for _ in range(8):
            loss = -(policy(torch.stack(rows)).log_prob(torch.stack(actions)).sum(-1) * gains).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if fault == "copied":
            evaluated.load_state_dict(policy.state_dict())
        if not once:
            evaluate(evaluated, normaliser, test_env, fault)
    if once:
        evaluate(evaluated, normaliser, test_env, fault)
