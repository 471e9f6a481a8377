"""An actor-critic with a memory, over a list of environments, right or with a fault of its memory."""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from torch import nn

MEMBERS, STEPS, HIDDEN = 4, 40, 12


class Cue(gymnasium.Env):
    """The first observation tells which of two answers is paid for at the end of a corridor."""

    observation_space = gymnasium.spaces.Box(-2.0, 2.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, fault: str = "") -> None:
        self.always_new = fault.startswith("kept at new starts")

    def look(self) -> np.ndarray:
        shown = self.cue if self.clock == 0 else 0.0
        drawn = self.clock or self.always_new  # else there are two first observations
        noise = self.np_random.normal(0.0, 0.1) if drawn else 0.0
        return np.array([shown, self.clock / self.length, noise], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cue, self.clock = float(self.np_random.choice([-1.0, 1.0])), 0
        self.length = int(self.np_random.integers(5, 12))
        return self.look(), {}

    def step(self, action):
        self.clock += 1
        over = self.clock >= self.length
        return self.look(), float(over and (action == 1) == (self.cue > 0.0)), over, False, {}


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.cell = nn.Linear(3, HIDDEN), nn.GRUCell(HIDDEN, HIDDEN)
        self.actor, self.critic = nn.Linear(HIDDEN, 2), nn.Linear(HIDDEN, 1)

    def go_on(self, seen: torch.Tensor, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        memory = self.cell(torch.tanh(self.body(seen)), memory)
        return self.actor(memory), self.critic(memory)[:, 0], memory


def train(fault: str = "", updates: int = 3, seed: int = 0) -> None:
    """Trains; the memory survives the end of an episode on the side that the fault names."""
    torch.manual_seed(seed)
    envs = [Cue(fault) for _ in range(MEMBERS)]
    agent, test_env = Agent(), Cue()
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    seen = np.stack([env.reset(seed=place)[0] for place, env in enumerate(envs)])
    memory, begins = torch.zeros(MEMBERS, HIDDEN), np.ones(MEMBERS, np.float32)
    for _ in range(updates):
        rows: list[tuple] = []
        start = memory
        for _ in range(STEPS):
            with torch.no_grad():
                given = torch.as_tensor(seen)
                kept = keep(begins, fault, "when acting")
                logits, value, memory = agent.go_on(given, memory * kept)
            chance = torch.distributions.Categorical(logits=logits)
            action = chance.sample()
            steps = [env.step(int(one)) for env, one in zip(envs, action, strict=True)]
            ended = np.array([each[2] for each in steps], np.float32)
            reward = torch.tensor([each[1] for each in steps])
            rows.append((given, torch.as_tensor(begins), action, chance.log_prob(action), value, reward, ended))
            begins = ended
            seen = np.stack([env.reset()[0] if each[2] else each[0] for env, each in zip(envs, steps, strict=True)])
        learn(agent, optimizer, rows, start, fault)
        if "evaluated" in fault:
            evaluate(agent, test_env, fault)


def keep(begins: np.ndarray | torch.Tensor, fault: str, side: str) -> torch.Tensor | float:
    """What the memory is multiplied by: 0 where an episode begins, or as the fault has it."""
    here = fault.endswith((side, "on both sides"))
    if here and fault.startswith("empty"):
        return 0.0
    return 1.0 if here and fault.startswith("kept") else 1.0 - torch.as_tensor(begins)[:, None]


def evaluate(agent: Agent, env: Cue, fault: str) -> None:
    """Six episodes with the likeliest actions."""
    for _ in range(6):
        seen, ended, memory = env.reset()[0], False, torch.zeros(1, HIDDEN)
        while not ended:
            with torch.no_grad():
                logits, _, later = agent.go_on(torch.as_tensor(seen)[None], memory)
            memory = memory if fault == "evaluated without memory" else later
            seen, _, ended, _, _ = env.step(int(logits.argmax()))


def learn(agent: Agent, optimizer: torch.optim.Optimizer, rows: list[tuple], start: torch.Tensor, fault: str) -> None:
    """Two epochs over the whole rollout as one sequence."""
    later, returns = torch.zeros(MEMBERS), []
    for *_, reward, ended in reversed(rows):
        later = reward + 0.95 * (1.0 - torch.as_tensor(ended)) * later
        returns.append(later)
    target = torch.stack(returns[::-1])
    action, old, before = (torch.stack([row[place] for row in rows]) for place in (2, 3, 4))
    above = target - before
    for _ in range(2):
        memory, memories = torch.zeros_like(start) if fault == "lost in the loss" else start, []
        for given, begins, *_ in rows:
            kept = keep(begins, fault, "in the loss")
            memory = agent.cell(torch.tanh(agent.body(given)), memory * kept)
            memories.append(memory)
        joined = torch.stack(memories)
        ratio = (torch.distributions.Categorical(logits=agent.actor(joined)).log_prob(action) - old).exp()
        gain = torch.min(ratio * above, ratio.clamp(0.8, 1.2) * above).mean()
        loss = ((agent.critic(joined)[..., 0] - target) ** 2).mean() - gain
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
