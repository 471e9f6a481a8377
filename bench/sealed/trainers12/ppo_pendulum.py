"""
Pendulum swing-up with PPO.

Small research code: a Runner that collects, a Learner that updates, an evaluation every few iterations.
"""
import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal

torch.set_num_threads(1)


class RunningMoments:
    def __init__(self, shape):
        self.mean = np.zeros(shape)
        self.var = np.ones(shape)
        self.count = 1e-4

    def update(self, x):
        x = np.asarray(x, dtype=np.float64)
        m, v, n = x.mean(0), x.var(0), x.shape[0]
        d = m - self.mean
        total = self.count + n
        self.mean = self.mean + d * n / total
        self.var = (self.var * self.count + v * n + d ** 2 * self.count * n / total) / total
        self.count = total


class GaussianPolicy(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=64, fault=""):
        super().__init__()
        self.mu = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, act_dim)
        )
        with torch.no_grad():
            self.mu[-1].weight.mul_(0.01)
            self.mu[-1].bias.zero_()
        if fault == "f06":
            self.log_std = torch.zeros(act_dim)
        else:
            self.log_std = nn.Parameter(torch.zeros(act_dim))

    def dist(self, obs):
        return Normal(self.mu(obs), self.log_std.exp())


class ValueNet(nn.Module):
    def __init__(self, obs_dim, hidden=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1)
        )

    def forward(self, obs):
        return self.net(obs).squeeze(-1)


class Runner:
    """Steps n copies of the environment and fills arrays of shape (T, N, ...)."""

    def __init__(self, cfg):
        self.cfg = cfg
        self.envs = [gym.make("Pendulum-v1") for _ in range(cfg.n_envs)]
        space = self.envs[0].action_space
        self.low, self.high = space.low, space.high
        self.moments = RunningMoments((3,))
        self.raw = np.stack([e.reset(seed=cfg.seed * 100 + i)[0] for i, e in enumerate(self.envs)])
        self.previous = self.raw.copy()
        self.ep_ret = np.zeros(cfg.n_envs)
        self.finished = []

    def normalize(self, raw):
        return np.clip((raw - self.moments.mean) / np.sqrt(self.moments.var + 1e-8), -10, 10).astype(np.float32)

    def to_env(self, a):
        a = np.clip(a, -1.0, 1.0)
        if self.cfg.fault == "f01":
            return np.clip(self.low + a * (self.high - self.low), self.low, self.high)
        return self.low + (a + 1.0) * 0.5 * (self.high - self.low)

    def shape_reward(self, r):
        if self.cfg.fault == "f03":
            return float(np.clip(r, -1.0, 1.0))
        return (r + 8.0) / 8.0

    def collect(self, policy, value, horizon):
        n = self.cfg.n_envs
        out = {
            "obs": np.zeros((horizon, n, 3), np.float32), "act": np.zeros((horizon, n, 1), np.float32),
            "logp": np.zeros((horizon, n), np.float32), "rew": np.zeros((horizon, n), np.float32),
            "val": np.zeros((horizon + 1, n), np.float32), "next_val": np.zeros((horizon, n), np.float32),
            "end": np.zeros((horizon, n), np.float32),
        }
        for t in range(horizon):
            self.moments.update(self.raw)
            seen = self.previous if self.cfg.fault == "f02" else self.raw
            obs = self.normalize(seen)
            with torch.no_grad():
                ot = torch.as_tensor(obs)
                d = policy.dist(ot)
                a = d.sample()
                out["logp"][t] = d.log_prob(a).sum(-1).numpy()
                out["val"][t] = value(ot).numpy()
            out["obs"][t], out["act"][t] = obs, a.numpy()
            self.previous = self.raw.copy()
            last = self.raw.copy()
            for i, env in enumerate(self.envs):
                o, r, terminated, truncated, _ = env.step(self.to_env(a[i].numpy()))
                self.ep_ret[i] += r
                out["rew"][t, i] = self.shape_reward(r)
                last[i] = o
                if terminated or truncated:
                    out["end"][t, i] = 1.0
                    self.finished.append(self.ep_ret[i])
                    self.ep_ret[i] = 0.0
                    o, _ = env.reset()
                self.raw[i] = o
            with torch.no_grad():
                nv = value(torch.as_tensor(self.normalize(last))).numpy()
            if self.cfg.fault == "f05":
                nv = nv * (1.0 - out["end"][t])
            out["next_val"][t] = nv
        return out


class Learner:
    def __init__(self, cfg):
        self.cfg = cfg
        self.policy = GaussianPolicy(3, 1, fault=cfg.fault)
        self.value = ValueNet(3)
        self.opt = torch.optim.Adam([*self.policy.parameters(), *self.value.parameters()], lr=cfg.lr)

    def advantages(self, b):
        T = b["rew"].shape[0]
        adv = np.zeros_like(b["rew"])
        run = np.zeros(b["rew"].shape[1], np.float32)
        for t in range(T - 1, -1, -1):
            delta = b["rew"][t] + self.cfg.gamma * b["next_val"][t] - b["val"][t]
            run = delta + self.cfg.gamma * self.cfg.lam * (1.0 - b["end"][t]) * run
            adv[t] = run
        return adv, adv + b["val"][:T]

    def update(self, b):
        adv, ret = self.advantages(b)
        flat = lambda x, *s: torch.as_tensor(x.reshape(-1, *s))
        obs, act = flat(b["obs"], 3), flat(b["act"], 1)
        logp_old, adv, ret = flat(b["logp"]), flat(adv), flat(ret)
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        info = {}
        for _ in range(self.cfg.epochs):
            for idx in torch.randperm(len(obs)).split(self.cfg.minibatch):
                d = self.policy.dist(obs[idx])
                logp = d.log_prob(act[idx])
                if self.cfg.fault == "f04":
                    ratio = (logp - logp_old[idx].unsqueeze(-1)).exp()
                else:
                    ratio = (logp.sum(-1) - logp_old[idx]).exp()
                a = adv[idx]
                surrogate = torch.min(ratio * a, ratio.clamp(1 - self.cfg.clip, 1 + self.cfg.clip) * a).mean()
                v_loss = nn.functional.mse_loss(self.value(obs[idx]), ret[idx])
                loss = -surrogate + 0.5 * v_loss
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_([*self.policy.parameters(), *self.value.parameters()], 0.5)
                self.opt.step()
        info["v_loss"] = v_loss.item()
        info["pi_loss"] = -surrogate.item()
        info["std"] = self.policy.log_std.exp().mean().item()
        info["kl"] = (logp_old[idx] - logp.sum(-1)).mean().item()
        return info


def evaluate(learner, runner, episodes=5):
    env = gym.make("Pendulum-v1")
    scores = []
    for k in range(episodes):
        o, _ = env.reset(seed=10_000 + k)
        over, score = False, 0.0
        while not over:
            with torch.no_grad():
                a = learner.policy.mu(torch.as_tensor(runner.normalize(o)))
            o, r, terminated, truncated, _ = env.step(runner.to_env(a.numpy()))
            if learner.cfg.fault == "f07":
                r = runner.shape_reward(r)
            score += r
            over = terminated or truncated
        scores.append(score)
    return float(np.mean(scores))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=61_440)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="")
    ap.add_argument("--n_envs", type=int, default=8)
    ap.add_argument("--horizon", type=int, default=256)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--gamma", type=float, default=0.95)
    ap.add_argument("--lam", type=float, default=0.95)
    ap.add_argument("--clip", type=float, default=0.2)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--minibatch", type=int, default=256)
    cfg = ap.parse_args()
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)

    runner, learner = Runner(cfg), Learner(cfg)
    steps, it = 0, 0
    while steps < cfg.steps:
        batch = runner.collect(learner.policy, learner.value, cfg.horizon)
        steps += cfg.horizon * cfg.n_envs
        info = learner.update(batch)
        it += 1
        if it % 4 == 0 or steps >= cfg.steps:
            train = np.mean(runner.finished[-20:]) if runner.finished else float("nan")
            print(f"[{steps:>7d}] train_return {train:9.2f} | eval_return {evaluate(learner, runner):9.2f} | "
                  f"v_loss {info['v_loss']:.4f} | pi_loss {info['pi_loss']:.4f} | std {info['std']:.3f} | kl {info['kl']:.4f}",
                  flush=True)


if __name__ == "__main__":
    main()
