"""Soft actor-critic with a learned temperature on Pendulum. Functions over a namespace of parts, after Spinning Up."""
import argparse
from copy import deepcopy
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=6000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", type=str, default="")
parser.add_argument("--hidden", type=int, default=64)
parser.add_argument("--gamma", type=float, default=0.97)
parser.add_argument("--tau", type=float, default=0.01)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--start", type=int, default=500)
args = parser.parse_args()
FAULT = args.fault

LOG_STD_MIN, LOG_STD_MAX = -10, 2


def mlp(sizes):
    layers = []
    for i in range(len(sizes) - 1):
        layers.append(nn.Linear(sizes[i], sizes[i + 1]))
        if i < len(sizes) - 2:
            layers.append(nn.ReLU())
    return nn.Sequential(*layers)


def featurize(o):
    theta = np.arctan2(o[1], o[0])
    if FAULT == "f09":
        theta = np.arccos(np.clip(o[0], -1, 1))
    return np.array([np.cos(theta), np.sin(theta), o[2] / 8.0], dtype=np.float32)


def pi(ac, o):
    """A squashed Gaussian action in [-1, 1] and its log-probability."""
    mu, log_std = ac.actor(o).chunk(2, dim=-1)
    log_std = log_std.clamp(LOG_STD_MIN, LOG_STD_MAX)
    dist = Normal(mu, log_std.exp(), validate_args=False)
    u = dist.rsample()
    a = torch.tanh(u)
    logp = dist.log_prob(u).sum(-1)
    if FAULT != "f02":
        logp = logp - (2 * (np.log(2) - u - F.softplus(-2 * u))).sum(-1)
    return a, logp


def q_of(net, o, a):
    return net(torch.cat([o, a], dim=-1)).squeeze(-1)


class Buffer:
    def __init__(self, od, ad, size):
        self.o = np.zeros((size, od), np.float32)
        self.a = np.zeros((size, ad), np.float32)
        self.r = np.zeros(size, np.float32)
        self.o2 = np.zeros((size, od), np.float32)
        self.d = np.zeros(size, np.float32)
        self.ptr, self.size, self.max = 0, 0, size

    def store(self, o, a, r, o2, d):
        p = self.ptr
        self.o[p], self.a[p], self.r[p], self.o2[p], self.d[p] = o, a, r, o2, d
        self.ptr = (p + 1) % self.max
        self.size = min(self.size + 1, self.max)

    def batch(self, n):
        if FAULT == "f07":
            i = np.random.randint(0, self.max, n)
        else:
            i = np.random.randint(0, self.size, n)
        return [torch.as_tensor(x[i]) for x in (self.o, self.a, self.r, self.o2, self.d)]


def build(od, ad):
    ac = SimpleNamespace()
    ac.actor = mlp([od, args.hidden, args.hidden, 2 * ad])
    ac.q1 = mlp([od + ad, args.hidden, args.hidden, 1])
    ac.q2 = mlp([od + ad, args.hidden, args.hidden, 1])
    ac.q1_targ, ac.q2_targ = deepcopy(ac.q1), deepcopy(ac.q2)
    for p in list(ac.q1_targ.parameters()) + list(ac.q2_targ.parameters()):
        p.requires_grad_(False)
    ac.log_alpha = torch.zeros(1, requires_grad=True)
    ac.target_entropy = -float(ad)
    q_params = list(ac.q1.parameters()) + list(ac.q2.parameters())
    pi_params = list(ac.actor.parameters())
    if FAULT == "f05":
        pi_params = pi_params + q_params
    ac.q_opt = torch.optim.Adam(q_params, lr=args.lr)
    ac.pi_opt = torch.optim.Adam(pi_params, lr=args.lr)
    ac.a_opt = torch.optim.Adam([ac.log_alpha], lr=args.lr)
    return ac


def update(ac, o, a, r, o2, d):
    alpha = ac.log_alpha.exp().detach()

    with torch.no_grad():
        a2, logp2 = pi(ac, o2)
        q_next = torch.min(q_of(ac.q1_targ, o2, a2), q_of(ac.q2_targ, o2, a2))
        soft = q_next - alpha * logp2
        if FAULT == "f06":
            backup = r + (1 - d) * soft
        else:
            backup = r + args.gamma * (1 - d) * soft
    loss_q = F.mse_loss(q_of(ac.q1, o, a), backup) + F.mse_loss(q_of(ac.q2, o, a), backup)
    ac.q_opt.zero_grad()
    loss_q.backward()
    ac.q_opt.step()

    a_new, logp = pi(ac, o)
    q_new = torch.min(q_of(ac.q1, o, a_new), q_of(ac.q2, o, a_new))
    loss_pi = (alpha * logp - q_new).mean()
    ac.pi_opt.zero_grad()
    loss_pi.backward()
    ac.pi_opt.step()

    if FAULT == "f04":
        loss_alpha = (ac.log_alpha * (logp + ac.target_entropy).detach()).mean()
    else:
        loss_alpha = -(ac.log_alpha * (logp + ac.target_entropy).detach()).mean()
    ac.a_opt.zero_grad()
    loss_alpha.backward()
    ac.a_opt.step()

    with torch.no_grad():
        for net, targ in ((ac.q1, ac.q1_targ), (ac.q2, ac.q2_targ)):
            for p, pt in zip(net.parameters(), targ.parameters()):
                if FAULT == "f03":
                    pt.mul_(args.tau).add_((1 - args.tau) * p)
                else:
                    pt.mul_(1 - args.tau).add_(args.tau * p)
    return loss_q.item(), loss_pi.item()


def evaluate(ac, env, limit, n=3, seed=None):
    total = []
    for k in range(n):
        o, _ = env.reset(seed=None if seed is None else seed + k)
        ret, done = 0.0, False
        while not done:
            with torch.no_grad():
                mu, _ = ac.actor(torch.as_tensor(featurize(o))).chunk(2, dim=-1)
            a = np.tanh(mu.numpy())
            if FAULT != "f10":
                a = a * limit
            o, r, terminated, truncated, _ = env.step(a)
            ret += r
            done = terminated or truncated
        total.append(ret)
    return np.mean(total)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    env, test_env = gym.make("Pendulum-v1"), gym.make("Pendulum-v1")
    limit = float(env.action_space.high[0])
    ac = build(3, 1)
    buf = Buffer(3, 1, 50_000)

    o, _ = env.reset(seed=args.seed)
    ep_ret, rets, lq = 0.0, [], 0.0
    for t in range(1, args.steps + 1):
        if t <= args.start:
            a = np.random.uniform(-1, 1, 1).astype(np.float32)
        else:
            with torch.no_grad():
                a, _ = pi(ac, torch.as_tensor(featurize(o)))
            a = a.numpy()
        u = a * limit
        o2, r, terminated, truncated, _ = env.step(u)
        ep_ret += r
        stored_a = u if FAULT == "f01" else a
        stored_r = ep_ret if FAULT == "f08" else r
        buf.store(featurize(o), stored_a, stored_r, featurize(o2), terminated)
        o = o2
        if terminated or truncated:
            rets.append(ep_ret)
            ep_ret = 0.0
            o, _ = env.reset()

        if t > args.start:
            lq, lp = update(ac, *buf.batch(args.batch))

        if t % 1000 == 0:
            score = evaluate(ac, test_env, limit, seed=4000)
            print(f"t={t} train={np.mean(rets[-5:]):.1f} eval={score:.1f} lossQ={lq:.3f} alpha={ac.log_alpha.exp().item():.3f}")


if __name__ == "__main__":
    main()
