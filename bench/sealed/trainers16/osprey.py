#!/usr/bin/env python
"""Soft actor-critic (two critics, learned temperature) swinging up a pendulum."""
import argparse
import itertools
import time
from copy import deepcopy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


def mlp(sizes, activation=nn.ReLU):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers += [nn.Linear(a, b)]
        if i < len(sizes) - 2:
            layers += [activation()]
    return nn.Sequential(*layers)


class SquashedGaussianActor(nn.Module):
    """Actions come out in [-1, 1]."""

    def __init__(self, obs_dim, act_dim, hidden, fault):
        super().__init__()
        self.net = mlp([obs_dim, hidden, hidden, 2 * act_dim])
        self.fault = fault

    def forward(self, obs, deterministic=False):
        mu, log_std = self.net(obs.to(self.net[0].weight.dtype)).float().chunk(2, dim=-1)
        dist = Normal(mu, log_std.clamp(-8, 2).exp())
        u = mu if deterministic else dist.rsample()
        logp = dist.log_prob(u).sum(-1)
        if self.fault != "f01":
            # log(1 - tanh(u)^2), in the form that does not overflow
            logp = logp - (2 * (np.log(2) - u - F.softplus(-2 * u))).sum(-1)
        return torch.tanh(u), logp


class TwinCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden):
        super().__init__()
        self.q1 = mlp([obs_dim + act_dim, hidden, hidden, 1])
        self.q2 = mlp([obs_dim + act_dim, hidden, hidden, 1])

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1).to(self.q1[0].weight.dtype)
        return self.q1(x).float().squeeze(-1), self.q2(x).float().squeeze(-1)


class ReplayBuffer:
    def __init__(self, obs_dim, act_dim, size):
        self.data = dict(
            obs=torch.zeros(size, obs_dim),
            act=torch.zeros(size, act_dim),
            rew=torch.zeros(size),
            obs2=torch.zeros(size, obs_dim),
            terminated=torch.zeros(size),
        )
        self.ptr, self.size, self.max_size = 0, 0, size

    def store(self, **row):
        for key, value in row.items():
            self.data[key][self.ptr] = torch.as_tensor(value, dtype=torch.float32)
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample(self, n):
        idx = torch.randint(0, self.size, (n,))
        return {k: v[idx] for k, v in self.data.items()}


def sac(steps, seed, fault, gamma=0.98, tau=0.01, lr=1e-3, hidden=64, batch=128, start=1000, update_after=500):
    torch.manual_seed(seed)
    np.random.seed(seed)
    env, test_env = gym.make("Pendulum-v1"), gym.make("Pendulum-v1")
    obs_dim, act_dim = env.observation_space.shape[0], env.action_space.shape[0]
    act_limit = float(env.action_space.high[0])

    dtype = torch.bfloat16 if fault == "f05" else torch.float32
    actor = SquashedGaussianActor(obs_dim, act_dim, hidden, fault).to(dtype)
    critic = TwinCritic(obs_dim, act_dim, hidden).to(dtype)
    critic_targ = deepcopy(critic)
    for p in critic_targ.parameters():
        p.requires_grad = False
    log_alpha = torch.tensor(np.log(0.2), dtype=torch.float32, requires_grad=True)
    target_entropy = float(act_dim) if fault == "f03" else -float(act_dim)

    pi_opt = torch.optim.Adam(actor.parameters(), lr=lr)
    q_opt = torch.optim.Adam(critic.parameters(), lr=lr)
    alpha_opt = torch.optim.Adam([log_alpha], lr=lr)
    buffer = ReplayBuffer(obs_dim, act_dim, max(steps, 1))

    def to_env(a):
        if fault == "f02":
            a = np.tanh(a)
        return act_limit * a

    def compute_loss_q(d):
        alpha = log_alpha.exp().detach()
        with torch.no_grad():
            a2, logp2 = actor(d["obs2"])
            q_targ = torch.min(*critic_targ(d["obs2"], a2))
            backup = d["rew"] + gamma * (1 - d["terminated"]) * (q_targ - alpha * logp2)
        q1, q2 = critic(d["obs"], d["act"])
        return F.mse_loss(q1, backup) + F.mse_loss(q2, backup), q1.mean().item()

    def compute_loss_pi(d):
        a, logp = actor(d["obs"])
        q = torch.min(*critic(d["obs"], a))
        return (log_alpha.exp().detach() * logp - q).mean(), logp.detach()

    def update(d):
        loss_q, q_mean = compute_loss_q(d)
        q_opt.zero_grad()
        loss_q.backward()
        q_opt.step()

        for p in critic.parameters():
            p.requires_grad = False
        loss_pi, logp = compute_loss_pi(d)
        pi_opt.zero_grad()
        loss_pi.backward()
        pi_opt.step()
        for p in critic.parameters():
            p.requires_grad = True

        alpha_loss = -(log_alpha * (logp + target_entropy)).mean()
        alpha_opt.zero_grad()
        alpha_loss.backward()
        alpha_opt.step()

        with torch.no_grad():
            for p, pt in zip(critic.parameters(), critic_targ.parameters()):
                if fault == "f04":
                    pt.mul_(tau).add_((1 - tau) * p)
                else:
                    pt.mul_(1 - tau).add_(tau * p)
        return loss_q.item(), loss_pi.item(), q_mean, -logp.mean().item()

    def act(o, deterministic=False):
        with torch.no_grad():
            a, _ = actor(torch.as_tensor(o, dtype=torch.float32).unsqueeze(0), deterministic)
        return a[0].numpy()

    def test_agent(n=5):
        total = 0.0
        for j in range(n):
            o, _ = test_env.reset(seed=20_000 + j)
            for _ in itertools.count():
                o, r, terminated, truncated, _ = test_env.step(to_env(act(o, True)))
                total += float(r)
                if terminated or truncated:
                    break
        return total / n

    t0 = time.time()
    o, _ = env.reset(seed=seed)
    ep_ret, ep_rets, logs = 0.0, [], []
    for t in range(steps):
        if t < start:
            a = np.random.uniform(-1, 1, act_dim).astype(np.float32)
        else:
            a = act(o)
        o2, r, terminated, truncated, _ = env.step(to_env(a))
        ep_ret += float(r)
        buffer.store(obs=o, act=a, rew=float(r) / 10.0, obs2=o2, terminated=float(terminated))
        o = o2
        if terminated or truncated:
            ep_rets.append(ep_ret)
            o, _ = env.reset()
            ep_ret = 0.0
        if t >= update_after:
            logs.append(update(buffer.sample(batch)))
        if (t + 1) % 1000 == 0:
            lq, lp, qm, ent = np.mean(logs[-500:], axis=0)
            print(
                f"t={t + 1:6d} EpRet={np.mean(ep_rets[-5:]):8.1f} TestRet={test_agent():8.1f} LossQ={lq:7.3f} "
                f"LossPi={lp:7.3f} Q={qm:7.2f} Entropy={ent:6.2f} Alpha={log_alpha.exp().item():.3f} Time={time.time() - t0:.0f}s",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=6_000)
    parser.add_argument("--seed", "-s", type=int, default=0)
    parser.add_argument("--fault", type=str, default="")
    args = parser.parse_args()
    torch.set_num_threads(1)
    sac(args.steps, args.seed, args.fault)
