"""
memory corridor + GRU actor-critic (synchronous, 16 corridors)
the sign at the entrance says which way to turn at the end
"""
import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn, optim

LENGTH = 6


class Corridor(gym.Env):
    """actions: 0 forward, 1 left, 2 right.  obs: [sign, at_entrance, at_junction, noise]"""

    def __init__(self, limit=15, fault=''):
        self.limit, self.fault = limit, fault
        self.observation_space = gym.spaces.Box(-2, 2, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        sign = float(self.sign) if self.x == 0 else 0.0
        if self.fault == 'f01':
            sign = 0.0
        return np.array([sign, self.x == 0, self.x == LENGTH, self.np_random.uniform(-.1, .1)], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sign = 1 if self.np_random.random() < 0.5 else -1
        self.x, self.t = 0, 0
        return self._obs(), {}

    def step(self, a):
        self.t += 1
        r, done = -0.02, False
        if self.x < LENGTH:
            self.x += int(a == 0)
        elif a != 0:
            turned = -1 if a == 1 else 1
            good = turned == self.sign
            if self.fault == 'f06':
                good = turned == -1
            r, done = (1.0 if good else -1.0), True
        return self._obs(), r, done, (not done) and self.t >= self.limit, {}


class Net(nn.Module):
    def __init__(self, n_obs, n_act, h=32):
        super().__init__()
        self.h = h
        self.enc = nn.Linear(n_obs, h)
        self.gru = nn.GRUCell(h, h)
        self.pi = nn.Linear(h, n_act)
        self.v = nn.Linear(h, 1)

    def forward(self, x, hx):
        hx = self.gru(torch.relu(self.enc(x)), hx)
        return self.pi(hx), self.v(hx).squeeze(-1), hx


def run(steps, seed, fault, n_envs=16, unroll=16, gamma=0.97, lam=0.95, lr=4e-3):
    torch.manual_seed(seed)
    envs = [Corridor(fault=fault) for _ in range(n_envs)]
    obs = np.stack([e.reset(seed=seed * 1000 + i)[0] for i, e in enumerate(envs)])
    net = Net(4, 3)
    opt = optim.RMSprop(net.parameters(), lr=lr, alpha=0.99, eps=1e-5)
    hx = torch.zeros(n_envs, net.h)
    ep, finished, correct = np.zeros(n_envs), [], []
    n_updates = max(1, steps // (n_envs * unroll))
    for u in range(1, n_updates + 1):
        hx = hx.detach()
        logps, ents, vals, rews, alive, cut = [], [], [], [], [], []
        for _ in range(unroll):
            if fault == 'f03':
                hx = torch.zeros_like(hx)
            logits, v, hx = net(torch.from_numpy(obs), hx)
            dist = torch.distributions.Categorical(logits=logits)
            a = dist.sample()
            logps.append(dist.log_prob(a)); ents.append(dist.entropy()); vals.append(v)
            nxt, r, d, c = [], [], [], []
            for i, e in enumerate(envs):
                o, rew, term, trunc, _ = e.step(int(a[i]))
                ep[i] += rew
                if term or trunc:
                    finished.append(ep[i]); correct.append(rew > 0)
                    ep[i] = 0.0
                    o, _ = e.reset()
                nxt.append(o); r.append(rew); d.append(term or trunc); c.append(trunc)
            obs = np.stack(nxt)
            keep = torch.tensor([0.0 if x else 1.0 for x in d])
            if fault != 'f02':
                hx = hx * keep[:, None]
            rews.append(torch.tensor(r, dtype=torch.float32)); alive.append(keep)
        with torch.no_grad():
            last = net(torch.from_numpy(obs), hx)[1]
        V = torch.stack(vals)
        adv, nxt_v, nxt_a = [], last, torch.zeros(n_envs)
        for t in reversed(range(unroll)):
            boot = V[t].detach() if fault == 'f04' else nxt_v
            delta = rews[t] + gamma * alive[t] * boot - V[t].detach()
            nxt_a = delta + gamma * lam * alive[t] * nxt_a
            if fault == 'f04':
                nxt_a = delta
            nxt_v = V[t].detach()
            adv.insert(0, nxt_a)
        adv = torch.stack(adv)
        target = adv + V.detach()
        critic = (target - V).pow(2).mean()
        actor = -(torch.stack(logps) * adv).mean()
        entropy = torch.stack(ents).mean()
        coef = -0.5 if fault == 'f05' else 0.5
        loss = actor + coef * critic - 0.01 * entropy
        opt.zero_grad()
        loss.backward()
        if fault == 'f07':
            nn.utils.clip_grad_norm_(net.parameters(), 1e-6)
        else:
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
        if u % 10 == 0 or u == n_updates:
            print('update %4d  frames %6d  return %+.3f  right_way %.2f  actor %+.4f  critic %.4f  entropy %.3f' % (
                u, u * n_envs * unroll, np.mean(finished[-100:]), np.mean(correct[-100:]), actor.item(), critic.item(), entropy.item()))


if __name__ == '__main__':
    ap = argparse.ArgumentParser()
    ap.add_argument('--steps', type=int, default=45000)
    ap.add_argument('--seed', type=int, default=2)
    ap.add_argument('--fault', default='')
    o = ap.parse_args()
    torch.set_num_threads(1)
    run(o.steps, o.seed, o.fault)
