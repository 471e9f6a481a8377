"""REINFORCE with a baseline: it learns from whole episodes of one real environment, right or with a fault."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

from tests.monitor.reading.actor_critic import Sledge

GAMMA, SCALE, EPISODES = 0.97, 10.0, 6


class Unpaid(gymnasium.RewardWrapper[np.ndarray, int]):
    """A task of which nothing is met that is paid for, as at the beginning where only a distant goal is."""

    def reward(self, reward: Any) -> float:
        return 0.0 * float(reward)


def train(fault: str = "", updates: int = 3) -> None:
    """Trains; the fault is one of those that stand below. The critic learns returns in units of `SCALE`."""
    torch.manual_seed(0)
    env, policy, critic = Unpaid(Sledge()) if "unpaid" in fault else Sledge(), _make(3), _make(1)
    movers = [torch.optim.Adam(net.parameters(), lr=2e-3) for net in (policy, critic)]
    env.reset(seed=0)
    for _ in range(updates):
        if fault == "new optimizer":
            movers[0] = torch.optim.Adam(policy.parameters(), lr=2e-3)
        if fault == "seeded anew":
            torch.manual_seed(1)
        if fault == "repeatable aside":  # right: the generator of the training goes on where it was
            with torch.random.fork_rng():
                torch.manual_seed(1)
                _play(Sledge(), policy, "")
        batch = [_play(env, policy, fault) for _ in range(EPISODES)]
        states, taken = (torch.as_tensor(np.concatenate([each[place] for each in batch])) for place in range(2))
        returns = torch.as_tensor(np.concatenate([_add_up(each[2], fault) for each in batch]), dtype=torch.float32)
        _learn(policy, critic, movers, (states, taken, returns), fault, moved=int(fault == "other optimizer"))


def _make(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, width))


def _play(
    env: gymnasium.Env[np.ndarray, int], policy: nn.Sequential, fault: str
) -> tuple[np.ndarray, np.ndarray, list[float]]:
    state, over = env.reset()[0], False
    states, taken, rewards = [], [], []
    temperature = 0.05 if fault == "cold" else 1.0
    while not over:
        with torch.no_grad():
            logits = policy(torch.as_tensor(state))
            logp = (logits / temperature).log_softmax(-1)
        action = int(torch.multinomial(logp.exp(), 1))
        states.append(state)
        state, reward, over, _, _ = env.step(action)
        taken.append(action)
        rewards.append(reward)
    kept = np.array(taken, bool).astype(np.int64) if fault == "boolean actions" else np.array(taken)
    if fault == "drawn again":
        kept = np.random.default_rng(len(kept)).integers(0, 3, len(kept))
    return np.stack(states), kept, rewards


def _add_up(rewards: list[float], fault: str) -> list[float]:
    total, found = 0.0, []
    for reward in rewards if fault == "forwards" else reversed(rewards):
        total = reward + GAMMA * total
        found.append(total)
    return found if fault in ("forwards", "never reversed") else found[::-1]


def _learn(
    policy: nn.Sequential,
    critic: nn.Sequential,
    movers: list[torch.optim.Optimizer],
    rows: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    fault: str,
    moved: int,
) -> None:
    states, taken, returns = rows
    scale = 1.0 if fault.startswith("together") else SCALE
    learned = returns / scale
    if fault.startswith("standardised"):  # right where it is subtracted from returns of the same kind
        learned = (returns - returns.mean()) / returns.std()
        returns = scale * learned if fault == "standardised" else scale * returns
    guess = critic(states)[:, 0].detach() * (1.0 if fault == "units" else scale)
    above = returns - (0.0 if fault == "no baseline" else 1.0) * guess
    above = (above - above.mean()) / (above.std() + 1e-6)
    logp = policy(states).log_softmax(0 if fault == "over rows" else -1)
    loss = -(logp[torch.arange(len(taken)), taken] * above).mean() + 0.01 * (logp.exp() * logp).sum(-1).mean()
    movers[0].zero_grad()
    if fault.startswith("together"):  # one pass backwards for both, and the policy is moved first
        movers[1].zero_grad()
        (loss + ((critic(states)[:, 0] - learned) ** 2).mean()).backward()
        movers[0].step()
        movers[1].step()
        return
    loss.backward()
    movers[moved].step()
    for _ in range(4):
        movers[1].zero_grad()
        ((critic(states)[:, 0] - learned) ** 2).mean().backward()
        movers[1].step()
