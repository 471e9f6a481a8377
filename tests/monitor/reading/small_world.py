"""Trainers with replay in a world of sixteen cells, where every observation comes back a hundred times."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.nn import functional

SIDE, GAMMA, BATCH, ALPHA = 4, 0.9, 64, 0.05
MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))


class Cells(gymnasium.Env[np.ndarray, int]):
    """A square of cells with a goal in a corner; a step costs little, and a wall stops whoever walks against it."""

    observation_space = gymnasium.spaces.Box(0.0, 1.0, (SIDE * SIDE,), np.float32)
    action_space = gymnasium.spaces.Discrete(len(MOVES))

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = np.array(divmod(int(self.np_random.integers(1, SIDE * SIDE)), SIDE))
        return self.look(), {}

    def look(self) -> np.ndarray:
        seen = np.zeros(SIDE * SIDE, np.float32)
        seen[SIDE * self.place[0] + self.place[1]] = 1.0
        return seen

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.place = np.clip(self.place + MOVES[int(action)], 0, SIDE - 1)
        there = not self.place.any()
        return self.look(), 1.0 if there else -0.02 * float(self.place.sum()), there, False, {}


class NumberedCells(gymnasium.ObservationWrapper[int, int, np.ndarray]):
    """The same with a number for each cell, of which the loop makes what its networks are given."""

    observation_space = gymnasium.spaces.Discrete(SIDE * SIDE)

    def observation(self, observation: np.ndarray) -> int:
        return int(observation.argmax())


def make(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(SIDE * SIDE, 32), nn.Tanh(), nn.Linear(32, width))


def take_windows(window: list[tuple[Any, ...]], count: int, over: bool) -> list[tuple[Any, ...]]:
    """Takes out of the last steps those whose window is whole, or that the end of their episode cuts."""
    rows = []
    while window and (len(window) >= count or over):
        total = sum(GAMMA**place * each[2] for place, each in enumerate(window))
        rows.append((*window[0][:2], total, *window[-1][3:], GAMMA ** len(window)))
        window.pop(0)
    return rows


def train(fault: str = "", soft: bool = False, steps: int = 240, count: int = 1, numbered: bool = False) -> None:
    """Trains; the fault is one of those that stand below. `soft` is the soft actor-critic of discrete actions, `count`
    the steps of a target; `numbered` cells are told by their numbers."""
    torch.manual_seed(0)
    chance = np.random.default_rng(0)
    env: gymnasium.Env[Any, int] = gymnasium.wrappers.TimeLimit(Cells(), 20)
    if numbered:
        env = NumberedCells(env)
    critics = [make(4) for _ in range(2 if soft else 1)]
    targets, policy = copy.deepcopy(critics), make(4)
    learned = torch.optim.Adam([each for critic in critics for each in critic.parameters()], lr=1e-3)
    acted = torch.optim.Adam(policy.parameters(), lr=1e-3)
    buffer: list[tuple[Any, ...]] = []
    window: list[tuple[Any, ...]] = []
    ones = np.eye(SIDE * SIDE, dtype=np.float32)
    ones = ones[np.arange(SIDE * SIDE) // SIDE] if fault == "rows alone" else ones
    see = ones.__getitem__ if numbered else np.asarray
    seen = see(env.reset(seed=0)[0])
    for step in range(steps):
        with torch.no_grad():
            logits = (policy if soft else critics[0])(torch.as_tensor(seen)[None])[0]
        best = int(torch.multinomial(logits.softmax(-1), 1)) if soft else int(logits.argmax())
        action = best if chance.random() > 0.5 else int(chance.integers(4))
        after, reward, terminated, truncated, _ = env.step(action)
        following = see(after)
        window.append((seen, action, float(reward), following, terminated))
        over = (terminated or truncated) and fault != "windows run on"
        buffer += take_windows(window, count, over)
        seen = see(env.reset()[0]) if terminated or truncated else following
        if step >= 120:
            rows = [buffer[place] for place in chance.integers(len(buffer), size=BATCH)]
            columns = [torch.as_tensor(np.stack([row[part] for row in rows])) for part in range(6)]
            learn(critics, targets, policy, (learned, acted), columns, fault, soft)


def learn(
    critics: list[nn.Sequential],
    targets: list[nn.Sequential],
    policy: nn.Sequential,
    optimizers: tuple[torch.optim.Optimizer, torch.optim.Optimizer],
    columns: list[torch.Tensor],
    fault: str,
    soft: bool,
) -> None:
    """One update from replayed rows."""
    seen, taken, rewards, following, ended, rates = columns
    with torch.no_grad():
        later = torch.stack([target(following) for target in targets]).min(0).values
        if soft:
            logs = policy(following).log_softmax(-1)
            bonus = -ALPHA if fault == "entropy punished" else ALPHA
            ahead = (logs.exp() * (later - bonus * logs)).sum(-1)
        else:
            ahead = later.max(-1).values
        wanted = rewards.float() + rates.float() * ahead * (fault == "ends ignored" or ~ended)
    values = [critic(seen).gather(1, taken[:, None])[:, 0] for critic in critics]
    loss = sum(functional.mse_loss(each, wanted) for each in values)
    optimizers[0].zero_grad()
    loss.backward()
    optimizers[0].step()
    if soft:
        logs = policy(seen).log_softmax(-1)
        with torch.no_grad():
            worth = torch.stack([critic(seen) for critic in critics]).min(0).values
        sign = -1.0 if fault == "goes down" else 1.0
        climb = (logs.exp() * (ALPHA * logs - sign * worth)).sum(-1).mean()
        optimizers[1].zero_grad()
        climb.backward()
        optimizers[1].step()
    with torch.no_grad():
        for critic, target in zip(critics, targets, strict=True):
            for fast, slow in zip(critic.parameters(), target.parameters(), strict=True):
                slow.lerp_(fast, 0.01)
