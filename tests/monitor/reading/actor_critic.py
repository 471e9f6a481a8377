"""An actor-critic that learns after every few steps of one real environment, right or with a fault; nothing is told."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

ROLLOUT, GAMMA = 8, 0.95


class Sledge(gymnasium.Env[np.ndarray, int]):
    """A sledge to be kept near the middle by two or three actions; random play falls off after some twenty steps."""

    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)

    def __init__(self, choices: int = 3) -> None:
        self.action_space = gymnasium.spaces.Discrete(choices)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.place, self.speed = self.np_random.uniform(-0.5, 0.5, 2)
        return self.look(), {}

    def look(self) -> np.ndarray:
        return np.array([self.place, self.speed], np.float32)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.speed += 0.1 * (2 * int(action) / (self.action_space.n - 1) - 1)
        self.place += 0.2 * self.speed
        return self.look(), 1.0 - abs(float(self.place)), abs(self.place) > 2.0, False, {}


class SelfResetting(gymnasium.Wrapper[np.ndarray, int, np.ndarray, int]):
    """An environment that begins anew by itself and gives the first observation with the end of the last episode."""

    def step(self, action: int) -> tuple[np.ndarray, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        return self.env.reset()[0] if terminated or truncated else seen, reward, terminated, truncated, info


class Agent(nn.Module):
    def __init__(self, choices: int = 3) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2, 32), nn.Tanh())
        self.actor, self.critic = nn.Linear(32, choices), nn.Linear(32, 1)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = self.trunk(seen)
        return self.actor(inner), self.critic(inner)[..., 0]


class OneReward(gymnasium.Wrapper[np.ndarray, int, np.ndarray, int]):
    """The same reward for every step."""

    def step(self, action: int) -> tuple[np.ndarray, Any, bool, bool, dict[str, Any]]:
        seen, _, terminated, truncated, info = self.env.step(action)
        return seen, 1.0, terminated, truncated, info


def train(
    fault: str = "",
    updates: int = 60,
    entropy: float = 0.01,
    limit: int = 40,
    rollout: int = ROLLOUT,
    constant: bool = False,
    choices: int = 3,
) -> None:
    """Trains; the fault is one of those that stand below."""
    torch.manual_seed(0)
    env = gymnasium.wrappers.TimeLimit(OneReward(Sledge(choices)) if constant else Sledge(choices), limit)
    if fault == "resets itself":
        env = SelfResetting(env)
    agent = Agent(choices)
    if fault in ("softmax twice", "warm"):  # a policy that is certain at first shows what it is not followed in
        agent.actor.weight.data *= 20.0
    if fault == "curious":  # right: the novelty of a state is how far one network is from another that stays as it is
        agent.predictor, agent.fixed = nn.Linear(2, 4), nn.Linear(2, 4)
    left = ("fixed", "critic") if fault == "critic left out" else ("fixed",)
    held = [each for name, each in agent.named_parameters() if not name.startswith(left)]
    optimizer = torch.optim.Adam(held, lr=2e-3)
    state, _ = env.reset(seed=0)
    rows = [(np.zeros(2, np.float32), 0, 0.0)] * rollout
    filled, ended = 0, False
    memory: list[tuple[np.ndarray, int, float, float]] = []
    for _ in range(updates):
        while filled < rollout:
            with torch.no_grad():
                logits, _ = agent(torch.as_tensor(state))
            logits = logits.softmax(-1) if fault == "softmax twice" else logits / (8.0 if fault == "warm" else 1.0)
            action = int(logits.argmax()) if fault == "greedy" else int(torch.multinomial(logits.softmax(-1), 1))
            following, reward, terminated, truncated, _ = env.step(action)
            kept = following if fault == "late observation" else state
            factor = {"reward flipped": -1.0, "reward scaled": 0.1}.get(fault, 1.0)  # the second is right
            rows[filled] = (kept, action, factor * float(reward))
            state, filled, ended = following, filled + 1, terminated or truncated
            if fault == "old observation":
                state = rows[0][0]
            if ended:
                break
        count = rollout if fault == "stale rows" else filled
        last = env.reset()[0] if fault == "next episode" and truncated else state
        returns = add_up(agent, rows[:count], last, terminated, fault)
        made = [(*row, total) for row, total in zip(rows[:count], returns, strict=True)]
        memory = [*memory, *made] if fault == "rows kept" else made
        learn(agent, optimizer, memory, fault, entropy)
        filled = 0
        if fault == "next episode" and truncated:
            state = last
        elif fault != "resets itself" and (terminated or (truncated and fault != "no reset")):
            state, _ = env.reset()


def add_up(
    agent: Agent, rows: list[tuple[np.ndarray, int, float]], state: np.ndarray, terminated: bool, fault: str
) -> list[float]:
    """The return of each step."""
    beyond = rows[0][0] if fault == "first value" else state
    with torch.no_grad():
        total = 0.0 if terminated or fault == "no bootstrap" else float(agent(torch.as_tensor(beyond))[1])
    returns = []
    if fault == "sums forwards":
        total = 0.0
        for _, _, reward in rows:
            total = reward + GAMMA * total
            returns.append(total)
        return returns
    for _, _, reward in reversed(rows):
        total = reward + GAMMA * total
        returns.append(total)
    return returns if fault == "order kept" else returns[::-1]


def learn(
    agent: Agent,
    optimizer: torch.optim.Optimizer,
    rows: list[tuple[np.ndarray, int, float, float]],
    fault: str,
    entropy: float,
) -> None:
    """One update from the steps of a rollout."""
    targets = torch.tensor([total for *_, total in rows])
    given = torch.as_tensor(np.stack([row[0] for row in rows]))
    logits, values = agent(given)
    if fault.startswith("cut off"):
        values = values.relu()
    chance = torch.distributions.Categorical(logits=logits.softmax(-1) if fault == "softmax twice" else logits)
    above = targets - values
    weight = above if fault.startswith("not detached") else above.detach()
    if fault == "not detached, normalised":
        weight = (weight - weight.mean()) / (weight.std() + 1e-6)
    gain = (weight * chance.log_prob(torch.tensor([row[1] for row in rows]))).mean()
    gain = -gain if fault == "sign flipped" else gain
    loss = 0.5 * (above**2).mean() - gain - entropy * chance.entropy().mean()
    if fault == "curious":
        loss = loss + ((agent.predictor(given) - agent.fixed(given)) ** 2).mean()
    if not fault.startswith("gradient kept"):
        optimizer.zero_grad()
    if fault == "clipped early":
        nn.utils.clip_grad_norm_(agent.parameters(), 0.1)
    loss.backward()
    if fault in ("clipped", "gradient kept, clipped"):  # the first is right
        nn.utils.clip_grad_norm_(agent.parameters(), 0.1)
    if fault == "gradient cleared":
        optimizer.zero_grad()
    optimizer.step()
