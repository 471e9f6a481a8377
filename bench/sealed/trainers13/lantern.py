"""Heliostat tracking: a mirror with two motors follows the sun. Proximal policy optimisation on a Gaussian policy."""
from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import List

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from torch import nn


class Heliostat(gymnasium.Env):
    """Obs: azimuth error [deg], elevation error [deg], both speeds [deg/s], sun azimuth [deg], wind [m/s]."""

    metadata = {"render_modes": []}

    def __init__(self, horizon: int = 100, fault: str = ""):
        self.horizon, self.fault = horizon, fault
        hi = np.array([180, 90, 60, 60, 360, 40], dtype=np.float32)
        self.observation_space = spaces.Box(-hi, hi, dtype=np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        e = self.sun - self.mirror
        return np.array([e[0], e[1], self.speed[0], self.speed[1], self.sun[0], self.wind], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rng = self.np_random
        self.t = 0
        self.sun = np.array([rng.uniform(90, 270), rng.uniform(20, 60)])
        self.mirror = self.sun + rng.uniform(-15, 15, 2)
        self.speed = np.zeros(2)
        self.wind = rng.uniform(0, 10)
        return self._obs(), {}

    def step(self, action):
        u = np.clip(np.asarray(action, dtype=np.float64), -1, 1)
        if self.fault == "f02":
            u = u[[0, 0]]
        self.t += 1
        self.wind = float(np.clip(self.wind + self.np_random.normal(0, 0.5), 0, 20))
        self.speed = 0.7 * self.speed + 1.2 * u + self.np_random.normal(0, 0.01, 2) * self.wind
        self.mirror = self.mirror + self.speed
        self.sun = self.sun + np.array([0.25, 0.05])
        e = self.sun - self.mirror
        reward = -float(np.abs(e).sum()) / 10.0 - 0.02 * float(u @ u)
        if self.fault == "f03":
            reward = max(reward, -0.25)
        return self._obs(), reward, False, self.t >= self.horizon, {"off_by": float(np.abs(e).sum())}


class RunningMoments:
    def __init__(self, n):
        self.mean, self.var, self.count = np.zeros(n), np.ones(n), 1e-4

    def absorb(self, x):
        m, v, k = x.mean(0), x.var(0), len(x)
        d, tot = m - self.mean, self.count + k
        self.var = (self.var * self.count + v * k + d**2 * self.count * k / tot) / tot
        self.mean, self.count = self.mean + d * k / tot, tot

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -5, 5).astype(np.float32)


@dataclass
class Config:
    steps: int
    seed: int = 0
    fault: str = ""
    workers: int = 4
    horizon: int = 250
    gamma: float = 0.95
    lam: float = 0.95
    clip: float = 0.2
    lr: float = 7e-4
    epochs: int = 8
    batch: int = 125
    init_log_std: float = -0.3


class GaussianActorCritic(nn.Module):
    def __init__(self, n_obs, n_act, log_std):
        super().__init__()
        def mlp(out):
            return nn.Sequential(nn.Linear(n_obs, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, out))
        self.mu, self.v = mlp(n_act), mlp(1)
        self.log_std = nn.Parameter(torch.full((n_act,), float(log_std)))

    def dist(self, x):
        return torch.distributions.Normal(self.mu(x), self.log_std.exp())


@dataclass
class Rollout:
    raw: List = field(default_factory=list)
    x: List = field(default_factory=list)
    a: List = field(default_factory=list)
    logp: List = field(default_factory=list)
    r: List = field(default_factory=list)
    v: List = field(default_factory=list)
    v_next: List = field(default_factory=list)
    end: List = field(default_factory=list)


class Learner:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        self.envs = [Heliostat(fault=cfg.fault) for _ in range(cfg.workers)]
        self.obs = np.stack([e.reset(seed=cfg.seed * 97 + i)[0] for i, e in enumerate(self.envs)])
        n_obs, n_act = self.envs[0].observation_space.shape[0], self.envs[0].action_space.shape[0]
        self.norm = RunningMoments(n_obs)
        log_std = -6.0 if cfg.fault == "f06" else cfg.init_log_std
        self.net = GaussianActorCritic(n_obs, n_act, log_std)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)
        self.scores, self.acc = [], np.zeros(cfg.workers)

    @torch.no_grad()
    def value(self, obs):
        return self.net.v(torch.from_numpy(self.norm(obs))).squeeze(-1).numpy()

    def collect(self) -> Rollout:
        out = Rollout()
        for _ in range(self.cfg.horizon):
            x = self.norm(self.obs)
            with torch.no_grad():
                d = self.net.dist(torch.from_numpy(x))
                a = d.sample()
                logp = d.log_prob(a).sum(-1)
            nxt, rew, end = np.empty_like(self.obs), np.zeros(len(self.envs)), np.zeros(len(self.envs))
            after = np.empty_like(self.obs)
            for i, e in enumerate(self.envs):
                nxt[i], rew[i], term, trunc, _ = e.step(a[i].numpy())
                self.acc[i] += rew[i]
                after[i] = nxt[i]
                if term or trunc:
                    end[i] = 1.0
                    self.scores.append(self.acc[i])
                    self.acc[i] = 0.0
                    after[i], _ = e.reset()
            out.raw.append(self.obs.copy()); out.x.append(x); out.a.append(a.numpy()); out.logp.append(logp.numpy())
            out.r.append(rew); out.end.append(end)
            out.v.append(self.value(self.obs)); out.v_next.append(self.value(nxt))
            self.obs = after
        return out

    def advantages(self, ro: Rollout):
        r, v, vn, end = map(np.array, (ro.r, ro.v, ro.v_next, ro.end))
        adv, run = np.zeros_like(r), np.zeros(r.shape[1])
        for t in range(len(r) - 1, -1, -1):
            run = r[t] + self.cfg.gamma * vn[t] - v[t] + self.cfg.gamma * self.cfg.lam * (1.0 - end[t]) * run
            adv[t] = run
        if self.cfg.fault == "f05":
            adv = np.cumsum(r[::-1], 0)[::-1] - v
        return adv, adv + v

    def learn(self, ro: Rollout):
        c = self.cfg
        adv, ret = self.advantages(ro)
        flat = lambda z: torch.as_tensor(np.array(z), dtype=torch.float32).flatten(0, 1)
        x, a, logp, adv, ret, v_old = flat(ro.x), flat(ro.a), flat(ro.logp), flat(adv), flat(ret), flat(ro.v)
        if c.fault == "f01":
            x = flat(ro.raw)
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        stats = []
        for _ in range(c.epochs):
            for idx in torch.randperm(len(x)).split(c.batch):
                d = self.net.dist(x[idx])
                lp = d.log_prob(a[idx]).sum(-1)
                if c.fault == "f07":
                    ratio = (lp.sum() - logp[idx].sum()).clamp(-20, 20).exp()
                else:
                    ratio = (lp - logp[idx]).exp()
                surrogate = torch.minimum(ratio * adv[idx], ratio.clamp(1 - c.clip, 1 + c.clip) * adv[idx]).mean()
                goal = v_old[idx] if c.fault == "f04" else ret[idx]
                v_loss = nn.functional.mse_loss(self.net.v(x[idx]).squeeze(-1), goal)
                loss = -surrogate + 0.5 * v_loss - 0.001 * d.entropy().sum(-1).mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.opt.step()
                stats.append((surrogate.item(), v_loss.item(), (logp[idx] - lp).mean().item()))
        return np.mean(stats, 0)

    def fit(self):
        done, it = 0, 0
        while done < self.cfg.steps:
            ro = self.collect()
            s = self.learn(ro)
            self.norm.absorb(np.concatenate(ro.raw))
            done += self.cfg.horizon * self.cfg.workers
            it += 1
            if it % 4 == 0 or done >= self.cfg.steps:
                print(f"[iter {it:3d}] steps {done:6d} | return {np.mean(self.scores[-20:]):9.2f} | surrogate {s[0]:+.4f} | "
                      f"value loss {s[1]:9.3f} | kl {s[2]:+.4f} | std {self.net.log_std.exp().mean().item():.3f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--steps", type=int, default=40000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="")
    ns = ap.parse_args()
    torch.set_num_threads(1)
    Learner(Config(steps=ns.steps, seed=ns.seed, fault=ns.fault)).fit()
