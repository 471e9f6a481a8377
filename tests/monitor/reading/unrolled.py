"""An actor-critic with a memory that is unrolled time by time in its loss, as homework does it."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from tests.monitor.reading.recurrent import Cue

MEMBERS, STEPS, HIDDEN, GAMMA, LAM = 24, 20, 12, 0.95, 0.9


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.cell = nn.Linear(3, HIDDEN), nn.GRUCell(HIDDEN, HIDDEN)
        self.actor, self.critic = nn.Linear(HIDDEN, 2), nn.Linear(HIDDEN, 1)

    def forward(self, seen: torch.Tensor, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return self.advance(seen, memory)

    def advance(self, seen: torch.Tensor, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        memory = self.cell(torch.tanh(self.body(seen)), memory)
        return self.actor(memory), self.critic(memory)[:, 0], memory


def train(fault: str = "", updates: int = 3, *, by_method: bool = False) -> None:
    """Trains; the fault is one of those that stand below. Methods of a network may ask its layers one by one."""
    torch.manual_seed(0)
    envs, agent = [Cue() for _ in range(MEMBERS)], Agent()
    ask = agent.advance if by_method else agent
    heads = [*agent.actor.parameters(), *agent.critic.parameters()]
    optimizer = torch.optim.Adam(heads if fault == "memory left out" else agent.parameters(), lr=1e-3)
    seen = torch.as_tensor(np.stack([env.reset(seed=place)[0] for place, env in enumerate(envs)]))
    memory = torch.zeros(MEMBERS, HIDDEN)
    for _ in range(updates):
        start, rows = memory.clone(), []
        for _ in range(STEPS):
            with torch.no_grad():
                logits, _, memory = ask(seen, memory)
            action = torch.distributions.Categorical(logits=logits).sample()
            steps = [env.step(int(one)) for env, one in zip(envs, action, strict=True)]
            reward, ended = (torch.tensor([float(each[place]) for each in steps]) for place in (1, 2))
            rows.append((seen, action, reward, ended))
            again = [env.reset()[0] if each[2] else each[0] for env, each in zip(envs, steps, strict=True)]
            seen, memory = torch.as_tensor(np.stack(again)), memory * (1.0 - ended)[:, None]
        logs, values, bonus, later = [], [], [], start
        for given, action, _, ended in rows:
            logits, value, later = ask(given, later)
            chance = torch.distributions.Categorical(logits=logits)
            logs.append(chance.log_prob(action))
            values.append(value)
            bonus.append(chance.entropy())
            later = later if fault == "memory kept" else later * (1.0 - ended)[:, None]
        with torch.no_grad():
            following = ask(seen, later)[1]
        known, above, carried = torch.stack(values), torch.zeros(STEPS, MEMBERS), torch.zeros(MEMBERS)
        for time in reversed(range(STEPS)):
            _, _, reward, ended = rows[time]
            carried = reward + (1.0 - ended) * GAMMA * (following + LAM * carried) - known[time].detach()
            above[time], following = carried, known[time].detach()
        target = above + known.detach()
        weight = target - known if fault == "not detached" else above
        gain = (torch.stack(logs) * weight).mean()
        loss = 0.5 * ((known - target) ** 2).mean() - gain - 0.01 * torch.stack(bonus).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
