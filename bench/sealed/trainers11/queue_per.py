#!/usr/bin/env python3
"""dispatcher prototype: route jobs to three machines, dueling double DQN + PER + n-step"""
import argparse
import collections
import sys

import gymnasium
import numpy as np
import torch as th
from torch.nn import functional as F

CAP = 20
SPEEDS = np.array([3.0, 2.0, 1.0])


class DispatchEnv(gymnasium.Env):
    """jobs of random size arrive, each goes to one of three machines; backlog costs money."""

    metadata = {"render_modes": []}

    def __init__(self, flaw=""):
        self.flaw = flaw
        self.observation_space = gymnasium.spaces.Box(0.0, 2.0, shape=(4,), dtype=np.float32)
        self.action_space = gymnasium.spaces.Discrete(3)
        self.backlog = np.zeros(3)
        self.job = 0.0
        self.k = 0

    def _obs(self):
        load = self.backlog // CAP if self.flaw == "f06" else self.backlog / CAP
        return np.append(load, self.job / 10.0).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.backlog = self.np_random.uniform(0.0, 6.0, size=3)
        self.job = self.np_random.uniform(2.0, 8.0)
        self.k = 0
        return self._obs(), {}

    def step(self, action):
        self.backlog[action] += self.job
        self.backlog = np.maximum(self.backlog - SPEEDS, 0.0)
        self.job = self.np_random.uniform(2.0, 8.0)
        self.k += 1
        broke = bool(self.backlog.max() > CAP)
        reward = -float((self.backlog / SPEEDS).sum()) / 60.0
        if broke:
            reward -= 10.0
        return self._obs(), reward, broke, self.k >= 100, {}


class Dueling(th.nn.Module):
    def __init__(self, n_obs, n_act, flaw):
        super().__init__()
        self.trunk = th.nn.Sequential(th.nn.Linear(n_obs, 64), th.nn.ReLU(), th.nn.Linear(64, 64), th.nn.ReLU())
        self.adv = th.nn.Linear(64, n_act)
        self.val = th.nn.Linear(64, 1)
        self.dim = 0 if flaw == "f03" else 1

    def forward(self, x):
        h = self.trunk(x)
        a = self.adv(h)
        return self.val(h) + a - a.mean(dim=self.dim, keepdim=True)


class PER:
    def __init__(self, size, n_obs, alpha=0.6, flaw=""):
        self.size, self.alpha, self.flaw = size, alpha, flaw
        self.o = np.zeros((size, n_obs), np.float32)
        self.o2 = np.zeros((size, n_obs), np.float32)
        self.a = np.zeros(size, np.int64)
        self.r = np.zeros(size, np.int64 if flaw == "f05" else np.float32)
        self.g = np.zeros(size, np.float32)
        self.prio = np.zeros(size, np.float64)
        self.head = self.fill = 0
        self.top = 1.0

    def add(self, o, a, r, o2, g):
        i = self.head
        self.o[i], self.a[i], self.r[i], self.o2[i], self.g[i] = o, a, r, o2, g
        self.prio[i] = self.top
        self.head = (i + 1) % self.size
        self.fill = min(self.fill + 1, self.size)

    def draw(self, rng, n, beta):
        p = self.prio[: self.fill] ** self.alpha
        p /= p.sum()
        c = np.cumsum(p)
        idx = np.minimum(np.searchsorted(c, rng.random(n)), self.fill - 1)
        if self.flaw == "f02":
            w = (self.fill * p[idx]) ** beta
        else:
            w = (self.fill * p[idx]) ** (-beta)
        w /= w.max()
        return idx, w.astype(np.float32)

    def touch(self, idx, err):
        self.prio[idx] = np.abs(err) + 1e-3
        self.top = max(self.top, float(self.prio[idx].max()))


def fold(pending, gamma):
    r, g = 0.0, 1.0
    for _, _, rew in pending:
        r += g * rew
        g *= gamma
    return r, g


def run(steps, seed, flaw):
    th.set_num_threads(1)
    th.manual_seed(seed)
    rng = np.random.default_rng(seed)
    env = DispatchEnv(flaw)
    n_obs, n_act = env.observation_space.shape[0], int(env.action_space.n)
    online, frozen = Dueling(n_obs, n_act, flaw), Dueling(n_obs, n_act, flaw)
    frozen.load_state_dict(online.state_dict())
    opt = th.optim.Adam(online.parameters(), lr=1e-3)
    mem = PER(20_000, n_obs, flaw=flaw)
    gamma, n_step, batch = 0.97, 3, 64

    pending = collections.deque()
    o, _ = env.reset(seed=seed)
    ret, rets, loss = 0.0, [], th.tensor(0.0)
    for k in range(1, steps + 1):
        eps = max(0.03, 1.0 - k / (0.4 * steps))
        explore = rng.random() > eps if flaw == "f07" else rng.random() < eps
        if explore:
            a = int(rng.integers(n_act))
        else:
            with th.no_grad():
                a = int(online(th.from_numpy(o)[None]).argmax(dim=1))
        o2, r, term, trunc, _ = env.step(a)
        ret += r
        pending.append((o, a, r))
        if len(pending) == n_step or term or trunc:
            while pending:
                R, g = fold(pending, gamma)
                if flaw == "f01":
                    g = gamma
                first = pending.popleft()
                mem.add(first[0], first[1], R, o2, 0.0 if term else g)
                if not (term or trunc) or flaw == "f04":
                    break
        o = o2
        if term or trunc:
            rets.append(ret)
            ret = 0.0
            o, _ = env.reset()

        if k > 500 and k % 3 == 0:
            idx, w = mem.draw(rng, batch, beta=min(1.0, 0.4 + 0.6 * k / steps))
            so, so2 = th.from_numpy(mem.o[idx]), th.from_numpy(mem.o2[idx])
            sa, sg = th.from_numpy(mem.a[idx]), th.from_numpy(mem.g[idx])
            sr = th.from_numpy(mem.r[idx]).float()
            with th.no_grad():
                pick = online(so2).argmax(1, keepdim=True)
                y = sr + sg * frozen(so2).gather(1, pick)[:, 0]
            q = online(so).gather(1, sa[:, None])[:, 0]
            loss = (th.from_numpy(w) * F.smooth_l1_loss(q, y, reduction="none")).mean()
            opt.zero_grad(set_to_none=True)
            loss.backward()
            th.nn.utils.clip_grad_norm_(online.parameters(), 10.0)
            opt.step()
            mem.touch(idx, (y - q).detach().numpy())
        if k % 300 == 0:
            frozen.load_state_dict(online.state_dict())
        if k % 1500 == 0:
            avg = np.mean(rets[-15:]) if rets else float("nan")
            print("k=%d eps=%.3f ep_return=%.3f loss=%.5f" % (k, eps, avg, loss.item()))
            sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=18000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", dest="flaw", default="")
    ns = parser.parse_args()
    run(ns.steps, ns.seed, ns.flaw)
