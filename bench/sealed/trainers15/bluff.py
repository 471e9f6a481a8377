"""Gaussian PPO that holds a small craft over a point, in side wind."""
import argparse
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
    n_envs: int = 8
    horizon: int = 128
    gamma: float = 0.98
    lam: float = 0.95
    lr: float = 7e-4
    clip: float = 0.2
    epochs: int = 8
    batch: int = 256


def parse() -> Config:
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=60000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="")
    ns = ap.parse_args()
    return Config(ns.steps, ns.seed, ns.fault)


class Hover(gym.Env):
    """Offsets are in centimetres, speeds in metres per second, wind in m/s^2."""

    LIMIT = 120
    DT = 0.1

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (5,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _see(self):
        return np.array([*(self.pos * 100.0), *self.vel, self.wind], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(-2.0, 2.0, 2)
        self.vel = self.np_random.uniform(-0.3, 0.3, 2)
        self.wind = float(self.np_random.uniform(-0.4, 0.4))
        self.clock = 0
        return self._see(), {}

    def step(self, action):
        push = np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        acc = 1.5 * push + np.array([self.wind, -0.3]) - 0.1 * self.vel
        self.vel = self.vel + self.DT * acc
        self.pos = self.pos + self.DT * self.vel
        out = np.abs(self.pos) > 3.0
        self.vel[out] = 0.0
        self.pos = np.clip(self.pos, -3.0, 3.0)
        self.clock += 1
        reward = -float(np.linalg.norm(self.pos)) - 0.02 * float(push @ push) - 0.5 * float(out.any())
        return self._see(), reward, False, self.clock >= self.LIMIT, {}


class Moments:
    def __init__(self, shape=()):
        self.mean = np.zeros(shape)
        self.var = np.ones(shape)
        self.count = 1e-4

    def update(self, x):
        n = x.shape[0]
        mean, var = x.mean(0), x.var(0)
        delta = mean - self.mean
        total = self.count + n
        m2 = self.var * self.count + var * n + delta ** 2 * self.count * n / total
        self.mean = self.mean + delta * n / total
        self.var = m2 / total
        self.count = total


class Policy(nn.Module):
    def __init__(self, n_obs, n_act, cfg):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mu = nn.Linear(64, n_act)
        nn.init.uniform_(self.mu.weight, -0.01, 0.01)
        nn.init.zeros_(self.mu.bias)
        self.log_std = nn.Parameter(torch.full((n_act,), -0.3))
        self.lowest = 0.5 if cfg.fault == "f03" else -4.0

    def forward(self, x):
        return Normal(self.mu(self.body(x)), self.log_std.clamp(self.lowest, 1.0).exp())


class Runner:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.envs = [Hover() for _ in range(cfg.n_envs)]
        self.obs_stats = Moments((5,))
        self.ret_stats = Moments()
        self.running = np.zeros(cfg.n_envs)
        self.policy = Policy(5, 2, cfg)
        self.vf = nn.Sequential(nn.Linear(5, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.params = [*self.policy.parameters(), *self.vf.parameters()]
        self.opt = torch.optim.Adam(self.params, lr=cfg.lr, eps=1e-5)
        self.scores, self.current = [], np.zeros(cfg.n_envs)
        self.raw = np.stack([e.reset(seed=cfg.seed * 100 + i)[0] for i, e in enumerate(self.envs)])
        self.obs_stats.update(self.raw)

    def norm(self, raw):
        s = self.obs_stats
        scale = s.var + 1e-8 if self.cfg.fault == "f01" else np.sqrt(s.var + 1e-8)
        return torch.as_tensor(np.clip((raw - s.mean) / scale, -10, 10), dtype=torch.float32)

    def norm_reward(self, r, ended):
        self.running = self.running * self.cfg.gamma + r
        self.ret_stats.update(self.running)
        scale = self.ret_stats.mean if self.cfg.fault == "f02" else np.sqrt(self.ret_stats.var)
        self.running[ended] = 0.0
        return np.clip(r / (scale + 1e-8), -10, 10)

    @torch.no_grad()
    def collect(self):
        c = self.cfg
        keys = ("obs", "act", "logp", "rew", "val", "nval", "end")
        roll = {k: [] for k in keys}
        for _ in range(c.horizon):
            x = self.norm(self.raw)
            pi = self.policy(x)
            u = pi.sample()
            logp = pi.log_prob(u).sum(-1)
            a = u.clamp(-1.0, 1.0)
            nxt, rew, end, after = [], [], [], []
            for i, e in enumerate(self.envs):
                o, r, term, trunc, _ = e.step(a[i].numpy())
                nxt.append(o)
                rew.append(r)
                end.append(term or trunc)
                self.current[i] += r
                if term or trunc:
                    self.scores.append(self.current[i])
                    self.current[i] = 0.0
                    o, _ = e.reset()
                after.append(o)
            rew, end = np.array(rew), np.array(end)
            self.obs_stats.update(np.stack(nxt))
            roll["obs"].append(x)
            roll["act"].append(a if c.fault == "f04" else u)
            roll["logp"].append(logp)
            roll["rew"].append(torch.as_tensor(self.norm_reward(rew, end), dtype=torch.float32))
            roll["val"].append(self.vf(x).squeeze(-1))
            roll["nval"].append(self.vf(self.norm(np.stack(nxt))).squeeze(-1))
            roll["end"].append(torch.as_tensor(end, dtype=torch.float32))
            self.raw = np.stack(after)
        roll = {k: torch.stack(v) for k, v in roll.items()}
        adv, g = torch.zeros_like(roll["rew"]), torch.zeros(c.n_envs)
        for t in range(c.horizon - 1, -1, -1):
            delta = roll["rew"][t] + c.gamma * roll["nval"][t] - roll["val"][t]
            g = delta + c.gamma * c.lam * (1 - roll["end"][t]) * g
            adv[t] = g
        roll["adv"], roll["ret"] = adv, adv + roll["val"]
        return {k: v.flatten(0, 1) for k, v in roll.items()}

    def learn(self, roll):
        c = self.cfg
        n = roll["obs"].shape[0]
        adv = (roll["adv"] - roll["adv"].mean()) / (roll["adv"].std() + 1e-8)
        for _ in range(c.epochs):
            for ix in torch.randperm(n).split(c.batch):
                pi = self.policy(roll["obs"][ix])
                ratio = torch.exp(pi.log_prob(roll["act"][ix]).sum(-1) - roll["logp"][ix])
                gain = torch.minimum(ratio * adv[ix], ratio.clamp(1 - c.clip, 1 + c.clip) * adv[ix]).mean()
                miss = (self.vf(roll["obs"][ix]).squeeze(-1) - roll["ret"][ix]).square().mean()
                loss = -gain + 0.5 * miss
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.params, 0.5)
                self.opt.step()
        return gain.item(), miss.item()

    @torch.no_grad()
    def evaluate(self, n=5):
        env, out = Hover(), []
        for k in range(n):
            o, _ = env.reset(seed=70_000 + k)
            total, over = 0.0, False
            while not over:
                x = torch.as_tensor(o) if self.cfg.fault == "f05" else self.norm(o)
                o, r, term, trunc, _ = env.step(self.policy(x).mean.clamp(-1, 1).numpy())
                total += r
                over = term or trunc
            out.append(total)
        return np.mean(out)


def main():
    cfg = parse()
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    run = Runner(cfg)
    per = cfg.n_envs * cfg.horizon
    for it in range(1, max(1, cfg.steps // per) + 1):
        gain, miss = run.learn(run.collect())
        if it % 10 == 0:
            print(f"[{it * per:>7}] train {np.mean(run.scores[-24:]):8.2f}  vloss {miss:.3f}  "
                  f"std {run.policy.log_std.exp().mean().item():.2f}", flush=True)
        if it % 20 == 0:
            print(f"[{it * per:>7}] eval  {run.evaluate():8.2f}", flush=True)
    print("final eval %.2f" % run.evaluate())


if __name__ == "__main__":
    main()
