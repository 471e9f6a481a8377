import argparse
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser(description="clipped policy gradients with a GRU on a recall task")
parser.add_argument("--steps", default=80000, type=int)
parser.add_argument("--seed", default=0, type=int)
parser.add_argument("--fault", default="", type=str)
opts = parser.parse_args()
mode = opts.fault

ENVS, LENGTH, HIDDEN = 16, 64, 48
GAMMA, LAMBDA, CLIP = 0.98, 0.9, 0.2
EPOCHS, GROUPS, LR, ENTROPY = 4, 2, 1.5e-3, 0.01


class Recall(gym.Env):
    """A colour is shown once; after a walk of 4 to 8 steps it has to be named. Action 0 walks, 1..3 name a colour."""

    def __init__(self, colours=3):
        self.k = colours
        self.observation_space = gym.spaces.Box(-2, 2, (colours + 3,), np.float32)
        self.action_space = gym.spaces.Discrete(colours + 1)
        self.gen = np.random.default_rng()

    def observe(self):
        o = np.zeros(self.k + 3, np.float32)
        shown = self.t == 0 if mode != "f03" else self.t < 0
        if shown:
            o[self.colour] = 1.0
        o[self.k] = float(self.t == self.length)
        o[self.k + 1] = self.t / 10.0
        o[self.k + 2] = self.gen.normal() * 0.3
        return o

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.gen = np.random.default_rng(seed)
        elif mode == "f02":
            self.gen = np.random.default_rng(7)
        self.colour = int(self.gen.integers(self.k))
        self.length = int(self.gen.integers(4, 9))
        self.t = 0
        return self.observe(), {}

    def step(self, action):
        if self.t == self.length:
            reward = 1.0 if action == self.colour + 1 else -1.0
            self.t += 1
            return self.observe(), reward, True, False, {"right": reward > 0}
        self.t += 1
        return self.observe(), (-0.02 if action != 0 else 0.0), False, False, {}


class Net(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.enc = nn.Linear(n_obs, HIDDEN)
        self.cell = nn.GRUCell(HIDDEN, HIDDEN)
        self.pi = nn.Linear(HIDDEN, n_act)
        self.v = nn.Linear(HIDDEN, 1)
        with torch.no_grad():
            self.pi.weight.mul_(0.05)

    def step(self, x, h):
        h = self.cell(torch.relu(self.enc(x)), h)
        return F.log_softmax(self.pi(h), -1), self.v(h)[:, 0], h

    def unroll(self, xs, h, starts):
        logs, vals = [], []
        for x, s in zip(xs, starts):
            h = h if mode == "f01" else h * (1 - s)[:, None]
            l, v, h = self.step(x, h)
            logs.append(l)
            vals.append(v)
        return torch.stack(logs), torch.stack(vals)


def test(net, n=20):
    env = Recall()
    score = 0.0
    for k in range(n):
        o, _ = env.reset(seed=50000 + k)
        h, over = torch.zeros(1, HIDDEN), False
        while not over:
            with torch.no_grad():
                lp, _, h = net.step(torch.from_numpy(o)[None], h)
            o, r, term, trunc, _ = env.step(int(lp.argmax()))
            score += r
            over = term or trunc
    return score / n


random.seed(opts.seed)
np.random.seed(opts.seed)
torch.manual_seed(opts.seed)

worlds = [Recall() for _ in range(ENVS)]
net = Net(6, 4)
adam = torch.optim.Adam(net.parameters(), lr=LR)

x = torch.from_numpy(np.stack([w.reset(seed=opts.seed * 1000 + i)[0] for i, w in enumerate(worlds)]))
h = torch.zeros(ENVS, HIDDEN)
start = torch.ones(ENVS)
paid = torch.zeros(ENVS)
returns, running = [], np.zeros(ENVS)
steps = 0
round_ = 0
while steps < opts.steps:
    h0 = h.clone()
    X, S, A, L, R, V = [], [], [], [], [], []
    for _ in range(LENGTH):
        with torch.no_grad():
            lp, v, h = net.step(x, h * (1 - start)[:, None])
        a = torch.multinomial(lp.exp(), 1)[:, 0]
        X.append(x)
        S.append(start)
        A.append(a)
        L.append(lp.gather(1, a[:, None])[:, 0])
        V.append(v)
        new, rew, fin = [], [], []
        for i, w in enumerate(worlds):
            o, r, term, trunc, _ = w.step(int(a[i]))
            running[i] += r
            if term or trunc:
                returns.append(running[i])
                running[i] = 0
                o, _ = w.reset()
            new.append(o)
            rew.append(r)
            fin.append(float(term or trunc))
        got = torch.tensor(rew, dtype=torch.float32)
        R.append(paid if mode == "f04" else got)
        paid = got
        x, start = torch.from_numpy(np.stack(new)), torch.tensor(fin)
        steps += ENVS
    with torch.no_grad():
        v_last = net.step(x, h * (1 - start)[:, None])[1]
    X, S, A, L, R, V = map(torch.stack, (X, S, A, L, R, V))
    ends = torch.cat([S[1:], start[None]])
    after = torch.cat([V[1:], v_last[None]])
    adv = torch.zeros_like(R)
    tail = torch.zeros(ENVS)
    for t in range(LENGTH - 1, -1, -1):
        go = 1 - ends[t]
        tail = R[t] + GAMMA * go * after[t] - V[t] + GAMMA * LAMBDA * go * tail
        adv[t] = tail
    target = adv + V
    scaled = (adv - adv.mean()) / (adv.std() + 1e-6)

    for epoch in range(EPOCHS):
        for cols in torch.randperm(ENVS).chunk(GROUPS):
            logs, vals = net.unroll(X[:, cols], h0[cols], S[:, cols])
            new_lp = logs.gather(2, A[:, cols, None])[..., 0]
            ratio = (new_lp - L[:, cols]).exp()
            g = scaled[:, cols]
            surrogate = torch.min(ratio * g, ratio.clamp(1 - CLIP, 1 + CLIP) * g).mean()
            entropy = -(logs.exp() * logs).sum(-1).mean()
            loss = -surrogate + 0.5 * F.mse_loss(vals, target[:, cols]) - ENTROPY * entropy
            if mode != "f05":
                adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            adam.step()
    round_ += 1
    if round_ % 10 == 0:
        print("steps=%d mean_return=%.3f entropy=%.3f" % (steps, np.mean(returns[-200:]), entropy.item()), flush=True)
    if round_ % 25 == 0:
        print("steps=%d test=%.3f" % (steps, test(net)), flush=True)
print("test=%.3f" % test(net, 50))
