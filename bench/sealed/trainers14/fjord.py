"""
Duelling DQN with n-step targets and proportional prioritised replay. CartPole-v1.
"""
import argparse
import copy
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from torch import nn

SCALE = np.array([2.4, 3.0, 0.21, 3.0], dtype=np.float32)


class Duelling(nn.Module):
    def __init__(self, d, n, width=96):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.val = nn.Linear(width, 1)
        self.adv = nn.Linear(width, n)

    def forward(self, x):
        h = self.trunk(x)
        a = self.adv(h)
        return self.val(h) + a - a.mean(dim=1, keepdim=True)


class PrioritisedReplay:
    def __init__(self, capacity, dim, alpha=0.6):
        self.capacity, self.alpha = capacity, alpha
        self.s = np.zeros((capacity, dim), np.float32)
        self.a = np.zeros(capacity, np.int64)
        self.r = np.zeros(capacity, np.float32)
        self.s2 = np.zeros((capacity, dim), np.float32)
        self.g = np.zeros(capacity, np.float32)
        self.p = np.zeros(capacity, np.float64)
        self.pos = self.size = 0
        self.top = 1.0

    def push(self, s, a, r, s2, g):
        i = self.pos
        self.s[i], self.a[i], self.r[i], self.s2[i], self.g[i] = s, a, r, s2, g
        self.p[i] = self.top
        self.pos = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n, beta, rng):
        c = np.cumsum(self.p[:self.size])
        idx = np.searchsorted(c, rng.random(n) * c[-1], side="right").clip(0, self.size - 1)
        prob = self.p[idx] / c[-1]
        w = (self.size * prob) ** -beta
        w = (w / w.max()).astype(np.float32)
        t = torch.from_numpy
        return idx, t(self.s[idx]), t(self.a[idx]), t(self.r[idx]), t(self.s2[idx]), t(self.g[idx]), t(w)

    def set_priorities(self, idx, prio):
        p = (np.maximum(prio, 0.0) + 1e-3) ** self.alpha
        self.p[idx] = p
        self.top = max(self.top, p.max())


class NStep:
    """Turns single transitions into n-step ones. g is the factor of the bootstrap value: 0 at a terminal state."""

    def __init__(self, n, gamma, sink):
        self.n, self.gamma, self.sink = n, gamma, sink
        self.q = deque()

    def _emit(self, s2, terminal):
        total = 0.0
        for k, (_, _, r) in enumerate(self.q):
            total += self.gamma ** k * r
        s, a, _ = self.q.popleft()
        self.sink(s, a, total, s2, 0.0 if terminal else self.gamma ** (k + 1))

    def add(self, s, a, r, s2, terminal, cut, flush=True):
        self.q.append((s, a, r))
        if (terminal or cut) and flush:
            while self.q:
                self._emit(s2, terminal)
        elif len(self.q) == self.n:
            self._emit(s2, False)


class Learner:
    def __init__(self, opt):
        self.opt = opt
        self.rng = np.random.default_rng(opt.seed)
        self.net = Duelling(4, 2)
        self.lag = copy.deepcopy(self.net)
        self.judge = copy.deepcopy(self.net)
        self.adam = torch.optim.Adam(self.net.parameters(), lr=5e-4)
        self.replay = PrioritisedReplay(20000, 4)
        self.nstep = NStep(3, 0.99, self.replay.push)
        self.updates = 0

    def scaled(self, raw):
        return (raw / SCALE).astype(np.float32)

    def pick(self, net, x):
        with torch.no_grad():
            return int(net(torch.from_numpy(x)[None]).argmax(1))

    def learn(self, beta):
        idx, s, a, r, s2, g, w = self.replay.sample(64, beta, self.rng)
        q = self.net(s).gather(1, a[:, None])[:, 0]
        if self.opt.fault == "f03":
            nq = self.net(s2)
            y = r + g * nq.max(1).values
        else:
            with torch.no_grad():
                arg = self.net(s2).argmax(1, keepdim=True)
                y = r + g * self.lag(s2).gather(1, arg)[:, 0]
        td = y - q
        loss = (w * nn.functional.huber_loss(q, y, reduction="none")).mean()
        self.adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 10)
        self.adam.step()
        err = td.detach().numpy()
        self.replay.set_priorities(idx, err if self.opt.fault == "f02" else np.abs(err))
        self.updates += 1
        if self.updates % 200 == 0:
            self.lag.load_state_dict(self.net.state_dict())
        return loss.item(), q.mean().item()

    def evaluate(self, env, n=5):
        if self.opt.fault != "f05":
            self.judge.load_state_dict(self.net.state_dict())
        total = 0.0
        for k in range(n):
            raw, _ = env.reset(seed=9000 + k)
            over = False
            while not over:
                raw, r, te, tr, _ = env.step(self.pick(self.judge, self.scaled(raw)))
                total += r
                over = te or tr
        return total / n

    def run(self):
        opt = self.opt
        env, test = gym.make("CartPole-v1"), gym.make("CartPole-v1")
        raw, _ = env.reset(seed=opt.seed)
        s = self.scaled(raw)
        ep, done_eps = 0.0, deque(maxlen=20)
        loss = qm = 0.0
        for t in range(1, opt.steps + 1):
            eps = max(0.03, 1 - t / (0.25 * opt.steps))
            a = int(self.rng.integers(2)) if self.rng.random() < eps else self.pick(self.net, s)
            raw, r, te, tr, _ = env.step(a)
            s2 = self.scaled(raw)
            kept = raw if opt.fault == "f04" else s2
            self.nstep.add(s, a, r, kept, te, tr, flush=opt.fault != "f01")
            ep += r
            s = s2
            if te or tr:
                done_eps.append(ep)
                ep = 0.0
                raw, _ = env.reset()
                s = self.scaled(raw)
            if self.replay.size > 800 and t % 2 == 0:
                loss, qm = self.learn(0.4 + 0.6 * t / opt.steps)
            if t % 2000 == 0:
                print(f"t={t} train={np.mean(done_eps):.1f} eval={self.evaluate(test):.1f} loss={loss:.4f} q={qm:.2f} eps={eps:.2f}", flush=True)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=24000)
    p.add_argument("--seed", type=int, default=5)
    p.add_argument("--fault", default="")
    o = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(o.seed)
    Learner(o).run()
