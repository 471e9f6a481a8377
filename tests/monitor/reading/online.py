"""An actor-critic that learns from every single step, right after it."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from tests.monitor.reading.actor_critic import GAMMA, Sledge


def train(fault: str = "", steps: int = 400) -> None:
    """Trains; the fault is one of those that stand below."""
    torch.manual_seed(0)
    env = Sledge()
    actor = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 3))
    critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizers = [torch.optim.Adam(each.parameters(), lr=1e-3) for each in (actor, critic)]
    seen = torch.as_tensor(env.reset(seed=0)[0])
    for _ in range(steps):
        chance = torch.distributions.Categorical(logits=actor(seen))
        action = chance.sample()
        following, reward, terminated, _, _ = env.step(int(action))
        with torch.no_grad():
            later = critic(torch.as_tensor(following))
        target = reward + GAMMA * later * (fault == "ends ignored" or not terminated)
        value = critic(seen)
        above = (target - value).detach() * (-1.0 if fault == "sign flipped" else 1.0)
        losses = -(chance.log_prob(action) * above).sum() - 0.01 * chance.entropy(), functional.mse_loss(value, target)
        for optimizer, loss in zip(optimizers, losses, strict=True):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        seen = torch.as_tensor(env.reset()[0] if terminated else following)
