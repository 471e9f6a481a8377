"""A DQN and a SAC in one file, with switches for faults; the monitor is told after every sixteen gradient steps."""

from __future__ import annotations

import copy
from collections import namedtuple

import numpy as np
import torch
from torch import nn

import weaklink

from .world import slope

GAMMA, TAU, BATCH, STEPS, WARM_UP = 0.95, 0.05, 64, 16, 160
Batch = namedtuple("Batch", "observations actions rewards next_observations terminated truncated")


class Network(nn.Module):
    """Two layers and a head."""

    def __init__(self, inputs, outputs, fault=""):
        super().__init__()
        self.first, self.second, self.head = nn.Linear(inputs, 16), nn.Linear(16, 16), nn.Linear(16, outputs)
        self.fault = fault

    def forward(self, given):
        with torch.set_grad_enabled(torch.is_grad_enabled() and self.fault != "T08"):
            inner = torch.relu(self.first(given))
            inner = inner.detach() if self.fault == "N03" else inner
            inner = torch.relu(self.second(inner))
        return self.head(inner)


class Replay:
    """Transitions in a list, drawn evenly."""

    def __init__(self, discrete, seed):
        self.env, self.rows, self.draws = slope(discrete), [], np.random.default_rng(seed)
        self.observation = self.env.reset(seed=seed)[0]

    def step(self, action):
        after, reward, terminated, truncated, _ = self.env.step(action)
        self.rows.append((self.observation, np.reshape(action, -1), reward, after, terminated, truncated))
        self.observation = self.env.reset()[0] if terminated or truncated else after

    def sample(self):
        rows = [self.rows[place] for place in self.draws.integers(0, len(self.rows), BATCH)]
        columns = [torch.as_tensor(np.array(column)) for column in zip(*rows, strict=True)]
        return Batch(*(each.float() if each.dtype == torch.float64 else each for each in columns))


def target(batch, following, own, fault):
    goes_on = ~batch.terminated
    if fault == "E01/target":
        goes_on = torch.ones_like(goes_on)
    if fault == "E02":
        goes_on = ~(batch.terminated | batch.truncated)
    if fault == "V10":
        goes_on = batch.terminated
    gamma = 1.0 if fault == "G02" else GAMMA
    following = own if fault == "V02" else following
    if fault == "V04":
        return gamma * (batch.rewards - goes_on * following)
    return batch.rewards + gamma * goes_on * following


def followed(online, slow, fault):
    if fault != "K02":
        with torch.no_grad():
            for fast, copied in zip(online.parameters(), slow.parameters(), strict=True):
                copied.lerp_(fast, TAU)


def held(network, fault):
    return (copy.deepcopy(network) if fault == "T02" else network).parameters()


def stepped(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def dqn(folder, seed, fault):
    torch.manual_seed(seed)
    online = Network(2, 2, fault)
    slow = online if fault == "K03" else copy.deepcopy(online)
    # with the fault the optimizer holds a copy of the two inner layers
    stale = copy.deepcopy(online) if fault == "T02" else online
    optimizer = torch.optim.Adam(
        [*stale.first.parameters(), *stale.second.parameters(), *online.head.parameters()], lr=1e-3
    )
    monitor = weaklink.Monitor(folder, config={"algorithm": "dqn", "tau": TAU}, sinks=(), tracker="none")
    memory = Replay(True, seed)
    for update in range(4):
        for _ in range(WARM_UP if not update else 32):
            memory.step(int(memory.draws.integers(2)))
        for _ in range(STEPS):
            batch = memory.sample()
            with torch.no_grad():
                following = slow(batch.next_observations).max(dim=1).values
                own = slow(batch.observations).max(dim=1).values
                wanted = target(batch, following, own, fault)
            values = online(batch.observations).gather(1, batch.actions.long())[:, 0]
            stepped(optimizer, nn.functional.smooth_l1_loss(values, wanted))
            followed(online, slow, fault)
        monitor.update(
            len(memory.rows), targets=wanted, rewards=batch.rewards, next_values=following, own_values=own,
            terminated=batch.terminated, truncated=batch.truncated, gamma=GAMMA, values=values, online=online,
            target=slow, modules=online, optimizers=optimizer, q_mean=values.mean(),
        )  # fmt: skip
    monitor.close()
    return monitor


class Actor(nn.Module):
    """A squashed Gaussian."""

    def __init__(self, fault):
        super().__init__()
        self.net, self.fault = Network(2, 2, fault), fault

    def forward(self, observations):
        mean, log_std = self.net(observations).chunk(2, dim=1)
        drawn = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
        plain = drawn.rsample()
        acted, log_prob = torch.tanh(plain), drawn.log_prob(plain)
        if self.fault != "A04":
            log_prob = log_prob - torch.log(1 - acted**2 + 1e-6)
        return acted, log_prob[:, 0]


def sac(folder, seed, fault):
    torch.manual_seed(seed)
    actor, critics = Actor(fault), nn.ModuleList([Network(3, 1), Network(3, 1)])
    slow = critics if fault == "K03" else copy.deepcopy(critics)
    log_alpha = torch.zeros(1, requires_grad=True)
    acting = torch.optim.Adam(held(actor, fault), lr=1e-3)
    judging, tempering = torch.optim.Adam(critics.parameters(), lr=1e-3), torch.optim.Adam([log_alpha], lr=1e-3)
    monitor = weaklink.Monitor(folder, config={"algorithm": "sac", "tau": TAU}, sinks=(), tracker="none")
    memory = Replay(False, seed)

    def smaller(networks, observations, actions):
        return torch.stack([each(torch.cat([observations, actions], 1))[:, 0] for each in networks]).min(dim=0).values

    for update in range(4):
        for _ in range(WARM_UP if not update else 32):
            memory.step(memory.draws.uniform(-1, 1, 1).astype(np.float32))
        for _ in range(STEPS):
            batch, alpha = memory.sample(), log_alpha.exp().detach()
            drawn, log_prob = actor(batch.observations)
            with torch.no_grad():
                acted, next_log_prob = actor(batch.next_observations)
                following = smaller(slow, batch.next_observations, acted) - alpha * next_log_prob
                own = smaller(slow, batch.observations, drawn) - alpha * log_prob
                wanted = target(batch, following, own, fault)
            values = [each(torch.cat([batch.observations, batch.actions], 1))[:, 0] for each in critics]
            stepped(judging, sum(nn.functional.mse_loss(each, wanted) for each in values))
            stepped(acting, (alpha * log_prob - smaller(critics, batch.observations, drawn)).mean())
            sign = 1.0 if fault == "L07" else -1.0
            stepped(tempering, sign * (log_alpha * (log_prob.detach() - 1.0)).mean())
            followed(critics, slow, fault)
        monitor.update(
            len(memory.rows), targets=wanted, rewards=batch.rewards, next_values=following, own_values=own,
            terminated=batch.terminated, truncated=batch.truncated, gamma=GAMMA, values=values[0], online=critics,
            target=slow, modules=[actor, critics], optimizers=[acting, judging], alpha=log_alpha.exp(),
            entropy=-log_prob.mean(), target_entropy=-1.0,
        )  # fmt: skip
    monitor.close()
    return monitor
