"""A PPO with a memory that is told its last action and reward, in a corridor whose observations repeat.

It learns from whole rollouts of some of its environments at a time, and asks for the value behind every step.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

MEMBERS, STEPS, HIDDEN, GAMMA, LAM = 6, 24, 12, 0.95, 0.9


class Lamp(gymnasium.Env[np.ndarray, int]):
    """A lamp that is lit at first tells which of two doors at the end of a corridor is paid for."""

    observation_space = gymnasium.spaces.Box(0.0, 1.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def look(self) -> np.ndarray:
        lit = self.clock == 0
        return np.array([lit and self.side == 1, lit and self.side == 2, self.place == self.length], np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.side, self.length = (int(each) for each in self.np_random.integers([1, 2], [3, 4]))
        self.place, self.clock = 0, 0
        return self.look(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.clock += 1
        there, reward = self.place == self.length, -0.02
        if action == 0:
            self.place = min(self.place + 1, self.length)
        elif there:
            reward = 1.0 if action == self.side else -0.5
        return self.look(), reward, there and action != 0, self.clock >= 10, {}


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.cell = nn.Linear(3 + 3 + 1, HIDDEN), nn.GRUCell(HIDDEN, HIDDEN)
        self.actor, self.critic = nn.Linear(HIDDEN, 3), nn.Linear(HIDDEN, 1)

    def go_on(self, given: torch.Tensor, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        memory = self.cell(torch.relu(self.body(given)), memory)
        return self.actor(memory), self.critic(memory)[:, 0], memory


def train(fault: str = "", updates: int = 3, seed: int = 0) -> None:
    """Trains; with the fault "reward late" each row holds the reward of the step before, which the network is told."""
    torch.manual_seed(seed)
    envs, agent = [Lamp() for _ in range(MEMBERS)], Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2)
    seen = torch.as_tensor(np.stack([env.reset(seed=place)[0] for place, env in enumerate(envs)]))
    past, memory, begins = torch.zeros(MEMBERS, 4), torch.zeros(MEMBERS, HIDDEN), torch.ones(MEMBERS)
    for _ in range(updates):
        rows: list[tuple[torch.Tensor, ...]] = []
        start = memory.clone()
        for _ in range(STEPS):
            given = torch.cat([seen, past], dim=1)
            with torch.no_grad():
                logits, value, memory = agent.go_on(given, memory * (1.0 - begins)[:, None])
            chance = torch.distributions.Categorical(logits=logits)
            action = chance.sample()
            steps = [env.step(int(one)) for env, one in zip(envs, action, strict=True)]
            reward = torch.tensor([each[1] for each in steps])
            ended, cut = (torch.tensor([each[place] for each in steps]) for place in (2, 3))
            landed = torch.as_tensor(np.stack([each[0] for each in steps]))
            told = torch.cat([nn.functional.one_hot(action, 3).float(), reward[:, None]], dim=1)
            with torch.no_grad():
                after = agent.go_on(torch.cat([landed, told], dim=1), memory)[1] * ~ended
            paid = past[:, 3] if fault == "reward late" else reward
            over = (ended | cut).float()
            rows.append((given, begins, action, chance.log_prob(action), value, paid, after, over))
            again = [env.reset()[0] if done else each[0] for env, each, done in zip(envs, steps, over, strict=True)]
            seen, past, begins = torch.as_tensor(np.stack(again)), told * (1.0 - over)[:, None], over
        learn(agent, optimizer, [torch.stack(each) for each in zip(*rows, strict=True)], start)


def learn(agent: Agent, optimizer: torch.optim.Optimizer, columns: list[torch.Tensor], start: torch.Tensor) -> None:
    """Two epochs, three environments at a time."""
    given, begins, action, old, before, reward, after, over = columns
    above, later = torch.zeros(STEPS, MEMBERS), torch.zeros(MEMBERS)
    for time in reversed(range(STEPS)):
        later = reward[time] + GAMMA * after[time] - before[time] + GAMMA * LAM * (1.0 - over[time]) * later
        above[time] = later
    target, weight = above + before, (above - above.mean()) / (above.std() + 1e-8)
    for _ in range(2):
        for some in torch.randperm(MEMBERS).chunk(2):
            inner, memory, memories = torch.relu(agent.body(given[:, some])), start[some], []
            for time in range(STEPS):
                memory = agent.cell(inner[time], memory * (1.0 - begins[time, some])[:, None])
                memories.append(memory)
            joined = torch.stack(memories)
            chance = torch.distributions.Categorical(logits=agent.actor(joined))
            ratio = (chance.log_prob(action[:, some]) - old[:, some]).exp()
            gain = torch.min(ratio * weight[:, some], ratio.clamp(0.8, 1.2) * weight[:, some]).mean()
            error = (agent.critic(joined)[..., 0] - target[:, some]) ** 2
            optimizer.zero_grad()
            (0.5 * error.mean() - gain - 0.01 * chance.entropy().mean()).backward()
            optimizer.step()
