import argparse
import copy
import math
import random
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import torch
from torch import nn

hp = SimpleNamespace(gamma=0.98, batch=64, capacity=2 ** 14, alpha=0.6, beta0=0.4, lr=7e-4, start=1000, every=2,
                     target_every=200, eps_end=0.04, eps_frac=0.3)


class SumTree:
    def __init__(self, capacity):
        self.n = capacity
        self.nodes = np.zeros(2 * capacity)

    def set(self, where, values):
        i = np.atleast_1d(where) + self.n
        self.nodes[i] = values
        while i[0] > 1:
            i = np.unique(i // 2)
            self.nodes[i] = self.nodes[2 * i] + self.nodes[2 * i + 1]

    @property
    def total(self):
        return self.nodes[1]

    def find(self, mass):
        mass = np.array(mass)
        i = np.ones(len(mass), np.int64)
        while i[0] < self.n:
            i *= 2
            right = (mass > self.nodes[i]) & (self.nodes[i + 1] > 0)
            mass = np.where(right, mass - self.nodes[i], mass)
            i += right
        return i - self.n


class Memory:
    def __init__(self, capacity, dim, fault):
        self.fault = fault
        self.tree = SumTree(capacity)
        self.capacity, self.pos, self.size, self.top = capacity, 0, 0, 1.0
        kind = np.int8 if fault == "f04" else np.float32
        self.s = np.zeros((capacity, dim), kind)
        self.s2 = np.zeros((capacity, dim), kind)
        self.a = np.zeros(capacity, np.int64)
        self.r = np.zeros(capacity, np.float32)
        self.d = np.zeros(capacity, np.float32)

    def push(self, s, a, r, s2, d):
        i = self.pos
        self.s[i] = s
        self.s2[i] = s2
        self.a[i], self.r[i], self.d[i] = a, r, d
        self.tree.set(i, self.top ** hp.alpha)
        self.pos = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n, beta):
        part = self.tree.total / n
        ix = np.minimum(self.tree.find((np.arange(n) + np.random.rand(n)) * part), self.size - 1)
        prob = self.tree.nodes[ix + self.capacity] / self.tree.total
        w = (self.size * prob) ** -beta
        w = torch.as_tensor(w / w.max(), dtype=torch.float32)
        f = lambda v: torch.as_tensor(v[ix], dtype=torch.float32)
        return ix, w, f(self.s), torch.as_tensor(self.a[ix]), f(self.r), f(self.s2), f(self.d)

    def refresh(self, ix, err):
        p = np.abs(err) + 1e-3
        self.top = max(self.top, float(p.max()))
        self.tree.set(np.arange(len(ix)) if self.fault == "f01" else ix, p ** hp.alpha)


def make_q(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, n_out))


def rollout_score(net, episodes=5):
    env = gym.make("CartPole-v1")
    returns = []
    for e in range(episodes):
        s, _ = env.reset(seed=600 + e)
        g = 0
        while True:
            with torch.no_grad():
                a = net(torch.from_numpy(s)[None]).argmax(1).item()
            s, r, term, trunc, _ = env.step(a)
            g += r
            if term or trunc:
                returns.append(g)
                break
    env.close()
    return np.mean(returns)


def main(steps, seed, fault):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    env = gym.make("CartPole-v1")
    q = make_q(4, 2)
    frozen = copy.deepcopy(q)
    judged = copy.deepcopy(q) if fault == "f05" else q
    lr = 0.1 if fault == "f02" else hp.lr
    optim = torch.optim.Adam(q.parameters(), lr=lr)
    mem = Memory(hp.capacity, 4, fault)

    s, _ = env.reset(seed=seed)
    g, history, losses = 0.0, [], []
    for t in range(steps):
        eps = max(hp.eps_end, 1 - (1 - hp.eps_end) * t / (hp.eps_frac * steps))
        if random.random() < eps:
            a = random.randrange(2)
        else:
            with torch.no_grad():
                a = q(torch.from_numpy(s)[None]).argmax(1).item()
        s2, r, term, trunc, _ = env.step(a)
        mem.push(s, a, r, s2, float(term))
        g += r
        s = s2
        if term or trunc:
            history.append(g)
            g = 0.0
            s, _ = env.reset()

        if t >= hp.start and t % hp.every == 0:
            beta = hp.beta0 + (1 - hp.beta0) * t / steps
            ix, w, bs, ba, br, bs2, bd = mem.sample(hp.batch, beta)
            with torch.no_grad():
                nxt = frozen(bs2).gather(1, q(bs2).argmax(1, keepdim=True)).squeeze(1)
                y = br + hp.gamma * nxt if fault == "f03" else br + hp.gamma * (1 - bd) * nxt
            err = q(bs).gather(1, ba[:, None]).squeeze(1) - y
            loss = (w * nn.functional.huber_loss(err, torch.zeros_like(err), reduction="none")).mean()
            for group in optim.param_groups:
                group["lr"] = lr * (1 - 0.9 * t / steps)
            optim.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(q.parameters(), 10.0)
            optim.step()
            mem.refresh(ix, err.detach().numpy())
            losses.append(loss.item())
        if t % hp.target_every == 0:
            frozen.load_state_dict(q.state_dict())
        if (t + 1) % 2500 == 0:
            print(f"t={t + 1} eps={eps:.2f} return={np.mean(history[-20:]):.1f} loss={np.mean(losses[-200:]) if losses else math.nan:.4f}", flush=True)
        if (t + 1) % 5000 == 0:
            print(f"t={t + 1} test return={rollout_score(judged):.1f}", flush=True)
    print(f"last test return={rollout_score(judged, 10):.1f}")


if __name__ == "__main__":
    a = argparse.ArgumentParser()
    a.add_argument("--steps", type=int, default=15000)
    a.add_argument("--seed", type=int, default=0)
    a.add_argument("--fault", default="")
    main(**vars(a.parse_args()))
