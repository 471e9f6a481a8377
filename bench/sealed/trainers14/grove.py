# Soft actor-critic on Pendulum-v1, learned temperature.
import argparse, copy, math, time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

LOG_STD_MIN, LOG_STD_MAX = -5, 2


def net(sizes):
    mods = []
    for i in range(len(sizes) - 1):
        mods.append(nn.Linear(sizes[i], sizes[i + 1]))
        if i < len(sizes) - 2:
            mods.append(nn.ReLU())
    return nn.Sequential(*mods)


class Actor(nn.Module):
    def __init__(self, o_dim, a_dim, fault):
        super().__init__()
        self.body = net([o_dim, 64, 64, 2 * a_dim])
        self.fault = fault

    def forward(self, o, deterministic=False):
        mu, ls = self.body(o).chunk(2, -1)
        if deterministic:
            return torch.tanh(mu), None
        std = ls.clamp(LOG_STD_MIN, LOG_STD_MAX).exp()
        normal = torch.distributions.Normal(mu, std)
        u = normal.rsample()
        logp = normal.log_prob(u).sum(-1)
        if self.fault != "f01":
            logp = logp - (2 * (math.log(2) - u - F.softplus(-2 * u))).sum(-1)
        return torch.tanh(u), logp


class Critic(nn.Module):
    def __init__(self, o_dim, a_dim):
        super().__init__()
        self.q = net([o_dim + a_dim, 64, 64, 1])

    def forward(self, o, a):
        return self.q(torch.cat([o, a], -1)).squeeze(-1)


class Buffer:
    def __init__(self, n, o_dim, a_dim):
        self.o = torch.zeros(n, o_dim)
        self.a = torch.zeros(n, a_dim)
        self.r = torch.zeros(n)
        self.o2 = torch.zeros(n, o_dim)
        self.d = torch.zeros(n)
        self.n, self.i, self.full = n, 0, 0

    def put(self, o, a, r, o2, d):
        k = self.i
        self.o[k] = torch.as_tensor(o)
        self.a[k] = torch.as_tensor(a)
        self.r[k] = float(r)
        self.o2[k] = torch.as_tensor(o2)
        self.d[k] = float(d)
        self.i = (k + 1) % self.n
        self.full = min(self.full + 1, self.n)

    def get(self, b):
        j = torch.randint(0, self.full, (b,))
        return self.o[j], self.a[j], self.r[j], self.o2[j], self.d[j]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=7000)
    ap.add_argument("--seed", type=int, default=2)
    ap.add_argument("--fault", type=str, default="")
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    gamma, tau, batch, start = 0.98, 0.01, 128, 500
    env = gym.make("Pendulum-v1")
    test_env = gym.make("Pendulum-v1")
    o_dim, a_dim = env.observation_space.shape[0], env.action_space.shape[0]
    bound = float(env.action_space.high[0])

    actor = Actor(o_dim, a_dim, args.fault)
    c1, c2 = Critic(o_dim, a_dim), Critic(o_dim, a_dim)
    t1, t2 = copy.deepcopy(c1), copy.deepcopy(c2)
    for p in list(t1.parameters()) + list(t2.parameters()):
        p.requires_grad_(False)
    opt_a = torch.optim.Adam(actor.parameters(), lr=1e-3)
    opt_c = torch.optim.Adam(list(c1.parameters()) + list(c2.parameters()), lr=1e-3)
    log_alpha = torch.zeros(1, requires_grad=True)
    opt_alpha = torch.optim.Adam([log_alpha], lr=1e-3)
    target_entropy = -float(a_dim)
    buf = Buffer(args.steps + 1, o_dim, a_dim)

    def evaluate(n=4):
        tot = 0.0
        for k in range(n):
            o, _ = test_env.reset(seed=100 + k)
            stop = False
            while not stop:
                with torch.no_grad():
                    a, _ = actor(torch.as_tensor(o), deterministic=True)
                o, r, te, tr, _ = test_env.step(a.numpy() * bound)
                tot += r
                stop = te or tr
        return tot / n

    o, _ = env.reset(seed=args.seed)
    ep_ret, last = 0.0, float("nan")
    began = time.time()
    for t in range(1, args.steps + 1):
        if t <= start:
            a = rng.uniform(-1, 1, a_dim).astype(np.float32)
        else:
            with torch.no_grad():
                a = actor(torch.as_tensor(o))[0].numpy()
        sent = a * bound
        o2, r, te, tr, _ = env.step(sent)
        ep_ret += r
        buf.put(o, sent if args.fault == "f03" else a, 0.1 * r, o2, te)
        o = o2
        if te or tr:
            last, ep_ret = ep_ret, 0.0
            o, _ = env.reset()

        if t > start:
            bo, ba, br, bo2, bd = buf.get(batch)
            alpha = log_alpha.exp().detach()
            with torch.no_grad():
                na, nlp = actor(bo2)
                nq = torch.min(t1(bo2, na), t2(bo2, na)) - alpha * nlp
                y = br + gamma * (1 - bd) * nq
            loss_c = F.mse_loss(c1(bo, ba), y) + F.mse_loss(c2(bo, ba), y)
            if args.fault != "f05":
                opt_c.zero_grad()
            loss_c.backward()
            opt_c.step()
            if args.fault == "f05":
                opt_c.zero_grad()

            pa, lp = actor(bo)
            loss_a = (alpha * lp - torch.min(c1(bo, pa), c2(bo, pa))).mean()
            opt_a.zero_grad()
            loss_a.backward()
            opt_a.step()

            gap = (lp + target_entropy).detach().mean()
            loss_alpha = log_alpha.exp() * gap if args.fault == "f02" else -log_alpha.exp() * gap
            opt_alpha.zero_grad()
            loss_alpha.sum().backward()
            opt_alpha.step()

            with torch.no_grad():
                for live, slow in ((c1, t1), (c2, t2)):
                    if args.fault == "f04":
                        live, slow = slow, live
                    for p, sp in zip(live.parameters(), slow.parameters()):
                        sp.mul_(1 - tau).add_(tau * p)

        if t % 1000 == 0:
            ent = -lp.mean().item() if t > start else float("nan")
            print(f"step {t}  last episode {last:.0f}  eval {evaluate():.0f}  alpha {log_alpha.exp().item():.3f}  "
                  f"entropy {ent:.2f}  critic {loss_c.item() if t > start else 0:.3f}  {time.time() - began:.0f}s", flush=True)


if __name__ == "__main__":
    main()
