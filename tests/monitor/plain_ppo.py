"""PPO as it is written by hand, in one file and after the fashion of CleanRL: nothing in it knows that it is watched.

What it made of its rollouts is kept for the tests in `Truth`, beside the training and unseen by the monitor.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch import nn

TIME_LIMIT_AS_TERMINAL, OBSERVATION_AFTER = "time limit as terminal", "observation after"


@dataclass
class Options:
    """How it trains, and what is wrong with it."""

    environment: str = "CartPole-v1"
    limit: int = 20
    members: int = 4
    horizon: int = 64
    updates: int = 3
    epochs: int = 4
    minibatch: int = 64
    gamma: float = 0.98
    lam: float = 0.9
    mode: AutoresetMode = AutoresetMode.NEXT_STEP
    normalise: bool = False
    clip_values: bool = False
    shared: bool = False
    clock: bool = False
    fault: str = ""
    seed: int = 1


@dataclass
class Truth:
    """What the trainer itself computed, a rollout each."""

    returns: list[np.ndarray] = field(default_factory=list)
    advantages: list[np.ndarray] = field(default_factory=list)
    learnt: list[np.ndarray] = field(default_factory=list)
    weights: list[np.ndarray] = field(default_factory=list)


class Agent(nn.Module):
    """A policy and a critic, with a trunk of their own or a shared one."""

    def __init__(self, size: int, actions: int, *, continuous: bool, shared: bool) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(size, 32), nn.Tanh()) if shared else nn.Identity()
        width = 32 if shared else size
        self.critic = nn.Sequential(nn.Linear(width, 32), nn.Tanh(), nn.Linear(32, 1))
        self.actor = nn.Sequential(nn.Linear(width, 32), nn.Tanh(), nn.Linear(32, actions))
        self.log_std = nn.Parameter(torch.zeros(actions)) if continuous else None

    def value(self, observations: torch.Tensor) -> torch.Tensor:
        return self.critic(self.trunk(observations)).squeeze(-1)

    def policy(self, observations: torch.Tensor) -> torch.distributions.Distribution:
        out = self.actor(self.trunk(observations))
        if self.log_std is None:
            return torch.distributions.Categorical(logits=out)
        return torch.distributions.Independent(torch.distributions.Normal(out, self.log_std.exp().expand_as(out)), 1)


class Normaliser:
    """Running mean and spread of observations; what is stored is what was normalised at the time."""

    def __init__(self, size: int) -> None:
        self.count, self.mean, self.square = 1e-4, np.zeros(size), np.ones(size)

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        for row in observations:
            self.count += 1
            self.mean = self.mean + (row - self.mean) / self.count
            self.square = self.square + (row**2 - self.square) / self.count
        spread = np.sqrt(np.maximum(self.square - self.mean**2, 1e-8))
        return ((observations - self.mean) / spread).astype(np.float32)


def make_environments(options: Options) -> SyncVectorEnv:
    """Members with a time limit short enough to be met."""

    def make() -> Any:
        limited = gymnasium.wrappers.TimeLimit(gymnasium.make(options.environment), options.limit)
        return gymnasium.wrappers.TimeAwareObservation(limited) if options.clock else limited

    return SyncVectorEnv([make] * options.members, autoreset_mode=options.mode)


def train(options: Options, envs: Any = None) -> Truth:
    """Trains and tells what it computed."""
    torch.manual_seed(options.seed)
    envs = make_environments(options) if envs is None else envs
    continuous = isinstance(envs.single_action_space, gymnasium.spaces.Box)
    size = int(np.prod(envs.single_observation_space.shape))
    count = envs.single_action_space.shape[0] if continuous else int(envs.single_action_space.n)
    agent = Agent(size, count, continuous=continuous, shared=options.shared)
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)
    seen = Normaliser(size) if options.normalise else lambda each: each.astype(np.float32)
    truth = Truth()
    observation, _ = envs.reset(seed=options.seed)
    state = {"observation": torch.as_tensor(seen(observation)), "ended": np.zeros(options.members, bool)}
    for _ in range(options.updates):
        rollout = collect(envs, agent, state, seen, options)
        advantages = estimate(rollout, options)
        returns = advantages + rollout["values"]
        truth.returns.append(returns.numpy().copy())
        truth.advantages.append(advantages.numpy().copy())
        truth.learnt.append(~rollout["fillers"].numpy())
        improve(agent, optimizer, rollout, advantages, returns, options)
    truth.weights = [each.detach().numpy().copy() for each in agent.parameters()]
    envs.close()
    return truth


@torch.no_grad()
def collect(envs: Any, agent: Agent, state: dict[str, Any], seen: Any, options: Options) -> dict[str, torch.Tensor]:
    """A rollout, by time and member."""
    rows: dict[str, list[Any]] = {}
    for _ in range(options.horizon):
        observation, fillers = state["observation"], torch.as_tensor(state["ended"])
        policy = agent.policy(observation)
        action, value = policy.sample(), agent.value(observation)
        after, reward, terminated, truncated, infos = envs.step(action.numpy())
        ended = terminated | truncated
        following = torch.as_tensor(seen(after))
        final = torch.zeros(options.members)
        if options.mode is AutoresetMode.SAME_STEP and ended.any():
            last = np.stack([infos["final_obs"][place] for place in np.flatnonzero(ended)])
            final[torch.as_tensor(ended)] = agent.value(torch.as_tensor(last.astype(np.float32)))
        stored = following if options.fault == OBSERVATION_AFTER else observation
        step = {
            "observations": stored, "actions": action, "log_probs": policy.log_prob(action), "values": value,
            "rewards": torch.as_tensor(reward, dtype=torch.float32), "terminated": torch.as_tensor(terminated),
            "truncated": torch.as_tensor(truncated), "finals": final,
            "fillers": fillers if options.mode is AutoresetMode.NEXT_STEP else torch.zeros_like(fillers),
        }  # fmt: skip
        for name, part in step.items():
            rows.setdefault(name, []).append(part)
        state["observation"], state["ended"] = following, ended
    found = {name: torch.stack(parts) for name, parts in rows.items()}
    found["last"] = agent.value(state["observation"])
    return found


def estimate(rollout: dict[str, torch.Tensor], options: Options) -> torch.Tensor:
    """Generalised advantages; a time limit is bootstrapped from, unless that is the fault."""
    advantages, ahead = torch.zeros_like(rollout["rewards"]), torch.zeros(options.members)
    for step in reversed(range(options.horizon)):
        last = step == options.horizon - 1
        following = rollout["last"] if last else rollout["values"][step + 1]
        ended = rollout["terminated"][step] | rollout["truncated"][step]
        if options.mode is AutoresetMode.SAME_STEP:
            following = torch.where(ended, rollout["finals"][step], following)
        closed = ended if options.fault == TIME_LIMIT_AS_TERMINAL else rollout["terminated"][step]
        delta = rollout["rewards"][step] + options.gamma * following * ~closed - rollout["values"][step]
        ahead = delta + options.gamma * options.lam * ~ended * ahead
        advantages[step] = ahead
    return advantages


def improve(
    agent: Agent,
    optimizer: torch.optim.Optimizer,
    rollout: dict[str, torch.Tensor],
    advantages: torch.Tensor,
    returns: torch.Tensor,
    options: Options,
) -> None:
    """Epochs of minibatches with the clipped loss; rows at which the environment was only reset are left out."""
    kept = ~rollout["fillers"].flatten()
    names = ("observations", "actions", "log_probs", "values")
    batch = [part.flatten(0, 1)[kept] for part in (*(rollout[name] for name in names), advantages, returns)]
    for _ in range(options.epochs):
        for rows in torch.randperm(int(kept.sum())).split(options.minibatch):
            if len(rows) < 2:
                continue
            observations, actions, old, before, gains, targets = (part[rows] for part in batch)
            policy, values = agent.policy(observations), agent.value(observations)
            ratio = (policy.log_prob(actions) - old).exp()
            gains = (gains - gains.mean()) / (gains.std() + 1e-8)
            surrogate = torch.min(gains * ratio, gains * ratio.clamp(0.8, 1.2)).mean()
            errors = (values - targets) ** 2
            if options.clip_values:
                errors = torch.max(errors, (before + (values - before).clamp(-0.2, 0.2) - targets) ** 2)
            loss = -surrogate + 0.25 * errors.mean() - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
