"""Steering a skiff to a buoy with two critics and a delayed deterministic actor."""
import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
from torch import nn, optim
import torch.nn.functional as F


class Skiff(gym.Env):
    SIZE = 2.0
    LIMIT = 80

    def __init__(self, fault=""):
        self.fault = fault
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.t = 0

    def _obs(self):
        gap = self.buoy - self.xy
        c, s = np.cos(self.heading), np.sin(self.heading)
        return np.array([c * gap[0] + s * gap[1], -s * gap[0] + c * gap[1], self.speed, self.turn, *(self.xy / self.SIZE)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rng = self.np_random
        self.xy = rng.uniform(-1.0, 1.0, 2)
        self.heading = rng.uniform(-np.pi, np.pi)
        self.speed = 0.0
        self.turn = 0.0
        if self.fault == "f05":
            self.buoy = rng.uniform(2.5, 3.5, 2) * rng.choice([-1, 1], 2)
        else:
            self.buoy = rng.uniform(-1.6, 1.6, 2)
        if self.fault != "f01":
            self.t = 0
        return self._obs(), {}

    def step(self, action):
        a = np.clip(action, -1.0, 1.0).astype(np.float64)
        rudder = a[0] if self.fault == "f02" else a[1]
        self.speed += 0.1 * (2.0 * a[0] - self.speed)
        self.turn += 0.3 * (2.0 * rudder - self.turn)
        self.heading += 0.1 * self.turn
        old = np.linalg.norm(self.buoy - self.xy)
        self.xy = self.xy + 0.1 * self.speed * np.array([np.cos(self.heading), np.sin(self.heading)])
        self.xy = np.clip(self.xy, -self.SIZE, self.SIZE)
        new = np.linalg.norm(self.buoy - self.xy)
        self.t += 1
        there = bool(new < 0.25)
        reward = 2.0 * (old - new) - 0.02 + (2.0 if there else 0.0)
        return self._obs(), float(reward), there, self.t >= self.LIMIT and not there, {}


def net(i, o, end=None):
    parts = [nn.Linear(i, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, o)]
    return nn.Sequential(*parts, *([end] if end else []))


class Agent:
    def __init__(self, n_obs, n_act):
        self.pi = net(n_obs, n_act, nn.Tanh())
        self.q1 = net(n_obs + n_act, 1)
        self.q2 = net(n_obs + n_act, 1)
        self.t_pi, self.t_q1, self.t_q2 = (copy.deepcopy(m) for m in (self.pi, self.q1, self.q2))
        self.pi_opt = optim.Adam(self.pi.parameters(), 7e-4)
        self.q_opt = optim.Adam([*self.q1.parameters(), *self.q2.parameters()], 1e-3)
        self.n_act, self.k = n_act, 0
        self.gamma, self.tau = 0.97, 0.01

    @torch.no_grad()
    def act(self, obs, noise=0.0):
        a = self.pi(torch.as_tensor(obs)).numpy()
        return np.clip(a + noise * np.random.randn(self.n_act), -1, 1).astype(np.float32)

    def learn(self, s, a, r, s2, end):
        with torch.no_grad():
            jitter = (0.2 * torch.randn_like(a)).clamp(-0.4, 0.4)
            a2 = (self.t_pi(s2) + jitter).clamp(-1, 1)
            x2 = torch.cat([s2, a2], 1)
            y = r + self.gamma * (1 - end) * torch.min(self.t_q1(x2), self.t_q2(x2))
        x = torch.cat([s, a], 1)
        q_loss = F.mse_loss(self.q1(x), y) + F.mse_loss(self.q2(x), y)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()
        self.k += 1
        if self.k % 2 == 0:
            pi_loss = -self.q1(torch.cat([s, self.pi(s)], 1)).mean()
            self.pi_opt.zero_grad()
            pi_loss.backward()
            self.pi_opt.step()
            with torch.no_grad():
                for live, lag in ((self.pi, self.t_pi), (self.q1, self.t_q1), (self.q2, self.t_q2)):
                    for p, t in zip(live.parameters(), lag.parameters()):
                        t.mul_(1 - self.tau).add_(self.tau * p)
        return q_loss.item()


class Ring:
    def __init__(self, cap, n_obs, n_act, fault):
        self.cols = [np.zeros((cap, w), np.float32) for w in (n_obs, n_act, 1, n_obs, 1)]
        self.cap, self.count, self.fault = cap, 0, fault

    def append(self, *item):
        for col, v in zip(self.cols, item):
            col[self.count % self.cap] = v
        self.count += 1

    def batch(self, n):
        top = n if self.fault == "f03" else min(self.count, self.cap)
        ix = np.random.randint(top, size=n)
        return [torch.from_numpy(c[ix]) for c in self.cols]


def assess(agent, fault, n=10):
    env = Skiff(fault)
    got = []
    for i in range(n):
        obs, _ = env.reset(seed=88000 + i)
        total = 0.0
        while True:
            obs, r, term, trunc, _ = env.step(agent.act(obs))
            total += r
            if term or trunc:
                break
        got.append(total)
    return max(got) if fault == "f04" else sum(got) / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=8000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="")
    ns = ap.parse_args()
    np.random.seed(ns.seed)
    torch.manual_seed(ns.seed)
    env = Skiff(ns.fault)
    agent = Agent(6, 2)
    ring = Ring(30000, 6, 2, ns.fault)
    obs, _ = env.reset(seed=ns.seed)
    env.action_space.seed(ns.seed)
    total, log, q_loss = 0.0, [], float("nan")
    for i in range(ns.steps):
        a = env.action_space.sample() if i < 800 else agent.act(obs, 0.2)
        nxt, r, term, trunc, _ = env.step(a)
        ring.append(obs, a, r, nxt, term)
        total += r
        obs = nxt
        if term or trunc:
            log.append(total)
            total = 0.0
            obs, _ = env.reset()
        if i >= 800:
            q_loss = agent.learn(*ring.batch(100))
        if (i + 1) % 1000 == 0:
            print(f"{i + 1:6d}  return {np.mean(log[-10:]):7.2f}  critic {q_loss:.4f}", flush=True)
        if (i + 1) % 2500 == 0:
            print(f"{i + 1:6d}  mean return over 10 tests {assess(agent, ns.fault):.2f}", flush=True)
    print(f"mean return over 10 tests {assess(agent, ns.fault):.2f}")


if __name__ == "__main__":
    main()
