"""A PPO with two continuous actions behind a normaliser, right or with a fault; nothing is told."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

MEMBERS, STEPS, EPOCHS, MINIBATCH = 4, 64, 4, 64
GAMMA, LAMBDA, CLIP, BOUND = 0.95, 0.9, 0.2, 1.5
REWARDED = {"rewards times 3": np.float32(3.0), "rewards times 300": np.float32(300.0)}


class Raft(gymnasium.Env[np.ndarray, np.ndarray]):
    """A raft to be kept near the middle of a pond by two oars; it is lost at the shore."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-BOUND, BOUND, (2,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.place, self.speed = self.np_random.uniform(-1.0, 1.0, (2, 2))
        return self.look(), {}

    def look(self) -> np.ndarray:
        return np.concatenate([3.0 * self.place + 2.0, self.speed]).astype(np.float32)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.speed = 0.95 * self.speed + 0.2 * np.clip(np.asarray(action, np.float64), -BOUND, BOUND)
        self.place = self.place + 0.1 * self.speed
        return self.look(), 1.0 - float(np.abs(self.place).sum()), bool(np.abs(self.place).max() > 2.0), False, {}


class Normaliser:
    def __init__(self) -> None:
        self.count, self.mean, self.square = 1e-3, np.zeros(4), np.ones(4) * 1e-3

    def __call__(self, seen: np.ndarray, learns: bool = True) -> np.ndarray:
        if learns:
            self.count += len(seen)
            self.mean = self.mean + (seen - self.mean).sum(axis=0) / self.count
            self.square = self.square + ((seen - self.mean) ** 2).sum(axis=0)
        return np.asarray((seen - self.mean) / np.sqrt(self.square / self.count + 1e-8), np.float32)


class Costs(gymnasium.RewardWrapper[np.ndarray, np.ndarray]):
    """The same raft, where every step costs something."""

    def reward(self, reward: float) -> float:
        return reward - 1.0


class RunningReward:
    """Rewards over their spread so far, and with the fault "costs, standardised" less their mean so far as well; with
    "costs over their mean" over that, which is below zero."""

    def __init__(self, fault: str) -> None:
        self.less, self.seen, self.fault = float(fault == "costs, standardised"), np.zeros(0), fault

    def __call__(self, rewards: np.ndarray) -> np.ndarray:
        self.seen = np.append(self.seen, rewards)
        scale = self.seen.mean() if self.fault == "costs over their mean" else self.seen.std() + 0.1
        return np.asarray((rewards - self.less * self.seen.mean()) / scale, np.float32)


class Agent(nn.Module):
    def __init__(self, log_std: float) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
        self.critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
        self.log_std, self.logs = nn.Parameter(torch.full((2,), log_std)), 1.0
        self.centre, self.scale = torch.zeros(4), torch.ones(4)

    def forward(self, seen: torch.Tensor) -> tuple[Any, torch.Tensor]:
        return self.ask((seen - self.centre) * self.scale)

    def ask(self, seen: torch.Tensor) -> tuple[Any, torch.Tensor]:
        return torch.distributions.Normal(self.actor(seen), (self.logs * self.log_std).exp()), self.critic(seen)[:, 0]


def train(fault: str = "", updates: int = 3) -> None:
    """Trains; the fault is one of those that stand below."""
    torch.manual_seed(0)
    rafts = [Costs(Raft()) if fault.startswith("costs") else Raft() for _ in range(MEMBERS)]
    envs = [gymnasium.wrappers.TimeLimit(each, 30) for each in rafts]
    scale = RunningReward(fault) if fault.startswith("costs") else REWARDED.get(fault, np.float32(1.0)).__mul__
    agent = Agent({"hardly explores": -6.0, "narrow": -2.5, "variance in the loss": -0.7}.get(fault, 0.0))
    agent.logs = 0.5 if fault == "variance" else 1.0  # right: the parameter is the logarithm of a variance
    agent.log_std.requires_grad_(fault != "hardly explores")
    if fault == "normalised inside":
        agent.centre, agent.scale = torch.tensor([2.0, 2.0, 0.0, 0.0]), torch.tensor([0.3, 0.3, 2.0, 2.0])
    moved = [*agent.actor.parameters(), *agent.critic.parameters()]
    moved = moved if fault == "log_std left out" else list(agent.parameters())
    optimizer = torch.optim.Adam(moved, lr={"steps too large": 0.2, "quick": 3e-3}.get(fault, 1e-3))
    normaliser = Normaliser()
    raw = np.stack([env.reset(seed=place)[0] for place, env in enumerate(envs)])
    for _ in range(updates):
        rows: list[dict[str, np.ndarray]] = []
        for _ in range(STEPS):
            given = prepare(raw, normaliser, fault)
            with torch.no_grad():
                seen = torch.as_tensor(given)
                inside = fault == "normalised inside"
                chance, value = agent.ask((seen - agent.centre) * agent.scale) if inside else agent(seen)
            action = chance.sample()
            stretched = 2.0 * action.numpy() - BOUND if fault == "wrong formula" else action.numpy()
            sent = stretched.clip(0.0 if fault == "one side only" else -BOUND, BOUND)
            sent = np.stack([sent[0]] * MEMBERS) if fault == "one action" else sent
            steps = [env.step(one) for env, one in zip(envs, sent, strict=True)]
            rows.append({
                "seen": raw if fault in ("raw kept", "normalised anew", "own statistics") else given,
                "action": sent if fault == "clipped kept" else action.numpy(),
                "log": chance.log_prob(action).sum(-1).numpy(),
                "value": value.numpy(),
                "reward": scale(np.array([each[1] for each in steps], np.float32)),
                "after": ask_finals(agent, steps, normaliser, fault),
                "ended": np.array([each[2] or each[3] for each in steps]),
            })  # fmt: skip
            raw = np.stack([env.reset()[0] if e[2] or e[3] else e[0] for env, e in zip(envs, steps, strict=True)])
        with torch.no_grad():
            last = agent(torch.as_tensor(prepare(raw, normaliser, fault, learns=False)))[1].numpy()
        if fault == "normalised anew":
            rows = [row | {"seen": normaliser(row["seen"], learns=False)} for row in rows]
        learn(agent, optimizer, rows, last, fault)


def prepare(raw: np.ndarray, normaliser: Normaliser, fault: str, learns: bool = True) -> np.ndarray:
    """What the networks are given."""
    if fault == "divided by bounds":
        return np.asarray(raw / np.append(np.ones(raw.shape[-1] - 1), np.inf), np.float32)
    if fault in ("scaled away", "scaled well"):
        return np.asarray(raw / (255.0 if fault == "scaled away" else 4.0), np.float32)
    given = normaliser(raw, learns)
    if fault == "clipped away":
        return given.clip(-0.1, 0.1)
    if fault == "by variance":
        return np.asarray((raw - normaliser.mean) / (normaliser.square / normaliser.count + 1e-8), np.float32)
    return raw if fault in ("raw given", "normalised inside", "normalised kept") else given


@torch.no_grad()
def ask_finals(agent: Agent, steps: list[Any], normaliser: Normaliser, fault: str) -> np.ndarray:
    """The values of last observations of episodes that a time limit cut, else 0."""
    found = np.zeros(MEMBERS, np.float32)
    for place, (seen, _, terminated, truncated, _) in enumerate(steps):
        if truncated and not terminated:
            found[place] = agent(torch.as_tensor(prepare(seen[None], normaliser, fault, learns=False)))[1].item()
    return found


def learn(
    agent: Agent, optimizer: torch.optim.Optimizer, rows: list[dict[str, np.ndarray]], last: np.ndarray, fault: str
) -> None:
    """One update from a rollout."""
    kept = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    goes_on, later = 1.0 - kept["ended"], np.zeros(MEMBERS)
    following = np.concatenate([kept["value"][1:], last[None]]) * goes_on + kept["after"]
    advantages = np.zeros_like(kept["value"])
    for time in range(STEPS) if fault == "forwards" else reversed(range(STEPS)):
        error = kept["reward"][time] + GAMMA * following[time] - kept["value"][time]
        later = advantages[time] = error + GAMMA * LAMBDA * goes_on[time] * later
    if fault == "no baseline":
        for time in reversed(range(STEPS)):
            later = advantages[time] = kept["reward"][time] + GAMMA * goes_on[time] * (later if time + 1 < STEPS else 0)
    flat = {name: torch.as_tensor(column.reshape(STEPS * MEMBERS, *column.shape[2:])) for name, column in kept.items()}
    above = torch.as_tensor(advantages.ravel())
    weights = torch.as_tensor(advantages.T.ravel()) if fault == "advantages mixed up" else above
    seen = flat["seen"]
    if fault in ("normalised kept", "own statistics"):
        seen = (seen - seen.mean(0)) / seen.std(0)
    if fault == "written over":
        seen = seen[-1:].expand_as(seen)
    if fault == "cut":
        seen = seen.int().float()
    for _ in range(EPOCHS):
        for index in torch.randperm(STEPS * MEMBERS).split(MINIBATCH):
            index = torch.randint(MINIBATCH, (MINIBATCH,)) if fault == "a part alone" else index
            agent.logs = 0.5 if fault == "variance in the loss" else agent.logs
            chance, value = agent(seen[index])
            agent.logs = 1.0 if fault == "variance in the loss" else agent.logs
            logs = chance.log_prob(flat["action"][index])
            log = logs.mean(-1) if fault == "averaged in the loss" else logs.sum(-1)
            ratio = (log - (0.0 if fault == "nothing subtracted" else flat["log"][index])).exp()
            weight = (weights[index] - weights[index].mean()) / weights[index].std()
            gain = torch.min(ratio * weight, ratio.clamp(1 - CLIP, 1 + CLIP) * weight).mean()
            value = value.detach() if fault == "value detached" else value
            error = ((value - (above + flat["value"])[index]) ** 2).mean()
            loss = 0.5 * error - gain - 0.001 * chance.entropy().sum(-1).mean()
            if fault in ("no baseline", "value loss forgotten"):
                loss = -gain
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
