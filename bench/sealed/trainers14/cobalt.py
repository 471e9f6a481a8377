"""PPO for continuous actions, with running normalisation of observations and rewards. A small boat has to reach a jetty."""
from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal


@dataclass
class Config:
    steps: int
    seed: int
    fault: str
    workers: int = 8
    rollout: int = 128
    gamma: float = 0.99
    lam: float = 0.95
    lr: float = 5e-4
    epochs: int = 6
    batch: int = 256
    clip: float = 0.2
    ent: float = 0.0
    max_grad: float = 0.5
    hidden: int = 64


class Jetty(gym.Env):
    """Two thrusters (x and y), positions in metres up to 500, every second costs."""

    LIMIT = 120

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.array([self.x, self.y, self.vx, self.vy], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        ang = self.np_random.uniform(0, 2 * math.pi)
        far = self.np_random.uniform(150, 400)
        self.x, self.y = far * math.cos(ang), far * math.sin(ang)
        self.vx = self.vy = 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        ux = min(1.0, max(-1.0, float(action[0])))
        uy = min(1.0, max(-1.0, float(action[1])))
        self.vx = 0.9 * self.vx + 2.5 * ux
        self.vy = 0.9 * self.vy + 2.5 * uy
        self.x = min(600.0, max(-600.0, self.x + self.vx))
        self.y = min(600.0, max(-600.0, self.y + self.vy))
        self.t += 1
        dist = math.hypot(self.x, self.y)
        reached = dist < 30.0
        reward = -0.5 - dist / 200.0
        return self._obs(), reward, reached, self.t >= self.LIMIT and not reached, {}


class Running:
    def __init__(self, shape):
        self.mean = np.zeros(shape, np.float64)
        self.var = np.ones(shape, np.float64)
        self.count = 1e-4

    def update(self, batch):
        m, v, n = batch.mean(0), batch.var(0), batch.shape[0]
        d = m - self.mean
        tot = self.count + n
        self.mean = self.mean + d * n / tot
        self.var = (self.var * self.count + v * n + d ** 2 * self.count * n / tot) / tot
        self.count = tot

    def std(self):
        return np.sqrt(self.var + 1e-8)


class Agent(nn.Module):
    def __init__(self, n_obs, n_act, hidden):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, n_act))
        self.v = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.log_std = nn.Parameter(torch.full((n_act,), -0.5))
        with torch.no_grad():
            self.mu[-1].weight.mul_(0.05)
            self.mu[-1].bias.zero_()

    def dist(self, obs, k=1.0):
        return Normal(self.mu(obs), (k * self.log_std).exp())

    def value(self, obs):
        return self.v(obs).squeeze(-1)


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        np.random.seed(cfg.seed)
        self.envs = [Jetty() for _ in range(cfg.workers)]
        self.test_env = Jetty()
        self.agent = Agent(4, 2, cfg.hidden)
        self.opt = torch.optim.Adam(self.agent.parameters(), lr=cfg.lr, eps=1e-5)
        self.obs_rms = Running((4,))
        self.rew_rms = Running(())
        self.discounted = np.zeros(cfg.workers)

    def scale_obs(self, raw):
        return np.clip((raw - self.obs_rms.mean) / self.obs_rms.std(), -10, 10).astype(np.float32)

    def scale_rew(self, rew, done):
        self.discounted = self.discounted * self.cfg.gamma + rew
        self.rew_rms.update(self.discounted)
        self.discounted[done] = 0.0
        if self.cfg.fault == "f03":
            self.rew_step.update(rew)
            return np.clip((rew - self.rew_step.mean) / self.rew_step.std(), -10, 10)
        return np.clip(rew / self.rew_rms.std(), -10, 10)

    def collect(self):
        c = self.cfg
        O, A, L, R, D, V = [], [], [], [], [], []
        for _ in range(c.rollout):
            self.obs_rms.update(self.raw)
            obs = self.scale_obs(self.raw)
            with torch.no_grad():
                o = torch.from_numpy(obs)
                d = self.agent.dist(o)
                a = d.sample()
                logp = d.log_prob(a).sum(-1)
                v = self.agent.value(o)
            rew = np.zeros(c.workers)
            done = np.zeros(c.workers, bool)
            tail = {}
            fresh = np.zeros_like(self.raw)
            for i, env in enumerate(self.envs):
                nxt, r, term, trunc, _ = env.step(a[i].numpy())
                rew[i] = r
                self.ep_ret[i] += r
                if term or trunc:
                    done[i] = True
                    self.finished.append(self.ep_ret[i])
                    self.ep_ret[i] = 0.0
                    if trunc:
                        tail[i] = nxt
                    nxt, _ = env.reset()
                fresh[i] = nxt
            scaled = self.scale_rew(rew, done)
            for i, last in tail.items():
                with torch.no_grad():
                    scaled[i] += c.gamma * self.agent.value(torch.from_numpy(self.scale_obs(last))).item()
            O.append(torch.from_numpy(self.raw.astype(np.float32)) if c.fault == "f01" else o)
            A.append(a)
            L.append(logp)
            R.append(torch.as_tensor(scaled, dtype=torch.float32))
            D.append(torch.as_tensor(done, dtype=torch.float32))
            V.append(v)
            self.raw = fresh
            self.total += c.workers
        with torch.no_grad():
            V.append(self.agent.value(torch.from_numpy(self.scale_obs(self.raw))))
        return [torch.stack(x) for x in (O, A, L, R, D, V)]

    def advantages(self, R, D, V):
        c = self.cfg
        adv = torch.zeros_like(R)
        acc = torch.zeros(c.workers)
        for t in range(c.rollout - 1, -1, -1):
            go = 1.0 - D[t]
            delta = R[t] + c.gamma * V[t + 1] * go - V[t]
            if c.fault == "f04":
                acc = delta + c.gamma * c.lam * acc
            else:
                acc = delta + c.gamma * c.lam * go * acc
            adv[t] = acc
        return adv, adv + V[:-1]

    def learn(self, O, A, L, R, D, V):
        c = self.cfg
        adv, ret = self.advantages(R, D, V)
        O, A, L, adv, ret = O.flatten(0, 1), A.flatten(0, 1), L.flatten(), adv.flatten(), ret.flatten()
        k = 0.5 if c.fault == "f02" else 1.0
        n = len(L)
        for _ in range(c.epochs):
            order = torch.randperm(n)
            for s in range(0, n, c.batch):
                j = order[s:s + c.batch]
                d = self.agent.dist(O[j], k)
                ratio = (d.log_prob(A[j]).sum(-1) - L[j]).exp()
                g = (adv[j] - adv[j].mean()) / (adv[j].std() + 1e-8)
                pi_loss = -torch.min(ratio * g, ratio.clamp(1 - c.clip, 1 + c.clip) * g).mean()
                v_loss = (self.agent.value(O[j]) - ret[j]).pow(2).mean()
                loss = pi_loss + 0.5 * v_loss - c.ent * d.entropy().sum(-1).mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.agent.parameters(), c.max_grad)
                self.opt.step()
        return pi_loss.item(), v_loss.item(), d.entropy().sum(-1).mean().item()

    def evaluate(self, episodes=5):
        out = []
        for k in range(episodes):
            raw, _ = self.test_env.reset(seed=1000 + k)
            total, end = 0.0, False
            while not end:
                x = raw if self.cfg.fault == "f05" else self.scale_obs(raw)
                with torch.no_grad():
                    a = self.agent.mu(torch.from_numpy(x)).numpy()
                raw, r, term, trunc, _ = self.test_env.step(a)
                total += r
                end = term or trunc
            out.append(total)
        return float(np.mean(out))

    def run(self):
        c = self.cfg
        self.rew_step = Running(())
        self.raw = np.stack([e.reset(seed=c.seed * 100 + i)[0] for i, e in enumerate(self.envs)])
        self.ep_ret = np.zeros(c.workers)
        self.finished = []
        self.total = 0
        it = 0
        while self.total < c.steps:
            pl, vl, ent = self.learn(*self.collect())
            it += 1
            if it % 8 == 1:
                train = np.mean(self.finished[-40:]) if self.finished else float("nan")
                print(f"[{self.total:>7}] train {train:8.2f} | eval {self.evaluate():8.2f} | pi {pl:+.4f} | v {vl:.4f} | H {ent:.3f}", flush=True)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=100000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="")
    ns = ap.parse_args()
    torch.set_num_threads(1)
    Trainer(Config(ns.steps, ns.seed, ns.fault)).run()
