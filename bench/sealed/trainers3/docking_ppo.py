# PPO with a Gaussian policy on a small docking task.  Observations and rewards are normalised by running statistics.
from __future__ import annotations

import argparse
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


class Docking(gym.Env):
    """A craft in the plane (metres, metres per second) has to arrive at the origin slowly. Thrust is an acceleration."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.Box(-2.0, 2.0, (2,), np.float32)
        self.pos = np.zeros(2)
        self.vel = np.zeros(2)

    def _see(self):
        return np.concatenate([self.pos, self.vel]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        angle = self.np_random.uniform(0, 2 * np.pi)
        far = self.np_random.uniform(30.0, 70.0)
        self.pos = far * np.array([np.cos(angle), np.sin(angle)])
        self.vel = self.np_random.normal(0.0, 1.0, 2)
        return self._see(), {}

    def step(self, action):
        thrust = np.clip(action, self.action_space.low, self.action_space.high).astype(np.float64)
        self.vel = 0.98 * self.vel + 0.5 * thrust + self.np_random.normal(0.0, 0.05, 2)
        self.pos = self.pos + self.vel
        gap = float(np.linalg.norm(self.pos))
        speed = float(np.linalg.norm(self.vel))
        docked = gap < 8.0 and speed < 4.0
        lost = gap > 150.0
        reward = -gap / 50.0 - 0.01 * float(thrust @ thrust)
        if docked:
            reward += 20.0
        if lost:
            reward -= 100.0
        return self._see(), reward, docked or lost, False, {}


@dataclass
class Config:
    seed: int
    steps: int
    fault: str
    envs: int = 8
    horizon: int = 128
    epochs: int = 6
    minibatch: int = 256
    gamma: float = 0.98
    lam: float = 0.95
    clip: float = 0.2
    lr: float = 7e-4
    limit: int = 120
    eval_every: int = 8
    eval_episodes: int = 10


class RunningStats:
    def __init__(self, shape=()):
        self.mean = np.zeros(shape)
        self.var = np.ones(shape)
        self.count = 1e-4

    def update(self, x):
        x = np.asarray(x, dtype=np.float64)
        m, v, n = x.mean(0), x.var(0), x.shape[0]
        d = m - self.mean
        total = self.count + n
        self.mean = self.mean + d * n / total
        self.var = (self.var * self.count + v * n + d * d * self.count * n / total) / total
        self.count = total

    def norm(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -10, 10).astype(np.float32)


class GaussianActor(nn.Module):
    def __init__(self, n_obs, n_act, start):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mu = nn.Linear(64, n_act)
        nn.init.uniform_(self.mu.weight, -0.01, 0.01)
        nn.init.zeros_(self.mu.bias)
        self.log_std = nn.Parameter(torch.full((n_act,), start))

    def forward(self, obs):
        return Normal(self.mu(self.body(obs)), self.log_std.exp())


def make_env(cfg):
    return gym.wrappers.TimeLimit(Docking(), cfg.limit)


def evaluate(cfg, actor, stats):
    env = make_env(cfg)
    if cfg.fault == "f04":
        stats = RunningStats((4,))
    out = []
    for i in range(cfg.eval_episodes):
        obs, _ = env.reset(seed=77_000 + 131 * cfg.seed + i)
        ret = 0.0
        while True:
            with torch.no_grad():
                act = actor(torch.from_numpy(stats.norm(obs))).mean.numpy()
            obs, rew, term, trunc, _ = env.step(np.clip(act, -2.0, 2.0))
            ret += rew
            if term or trunc:
                break
        out.append(ret)
    return float(np.mean(out))


def collect(cfg, envs, obs, actor, critic, obs_stats, ret_stats, disc_ret, ep_ret, done_returns):
    """One horizon of experience; obs are raw here, normalised copies are stored."""
    keep = {k: [] for k in ("obs", "act", "logp", "rew", "val", "nxt", "term", "cut")}
    seen = np.zeros((cfg.envs, 4), np.float32)
    for _ in range(cfg.horizon):
        obs_stats.update(obs)
        seen[:] = obs_stats.norm(obs)
        x = torch.from_numpy(seen)
        with torch.no_grad():
            pi = actor(x)
            act = pi.sample()
            logp = pi.log_prob(act).sum(-1)
            val = critic(x).squeeze(-1)
        sent = act.numpy().clip(-2.0, 2.0)
        nxt, last, rew, term, cut = obs.copy(), obs.copy(), np.zeros(cfg.envs), np.zeros(cfg.envs), np.zeros(cfg.envs)
        for i, env in enumerate(envs):
            o, r, te, tr, _ = env.step(sent[i])
            ep_ret[i] += r
            rew[i], term[i], cut[i] = r, te, te or tr
            last[i] = o
            if te or tr:
                done_returns.append(ep_ret[i])
                ep_ret[i] = 0.0
                o, _ = env.reset()
            nxt[i] = o
        if cfg.fault == "f09":
            rew = np.sign(rew)
        disc_ret[:] = disc_ret * cfg.gamma + rew
        ret_stats.update(disc_ret)
        scaled = np.clip(rew / np.sqrt(ret_stats.var + 1e-8), -10, 10)
        disc_ret[cut > 0] = 0.0
        with torch.no_grad():
            nxt_val = critic(torch.from_numpy(obs_stats.norm(last))).squeeze(-1)
        if cfg.fault == "f01":
            keep["obs"].append(torch.from_numpy(obs.copy()))
        elif cfg.fault == "f06":
            keep["obs"].append(torch.from_numpy(seen))
        else:
            keep["obs"].append(torch.from_numpy(seen.copy()))
        keep["act"].append(torch.from_numpy(sent) if cfg.fault == "f03" else act)
        keep["logp"].append(logp)
        keep["val"].append(val)
        keep["nxt"].append(nxt_val)
        keep["rew"].append(torch.tensor(scaled, dtype=torch.float32))
        keep["term"].append(torch.tensor(term, dtype=torch.float32))
        keep["cut"].append(torch.tensor(cut, dtype=torch.float32))
        obs = nxt
    return {k: torch.stack(v) for k, v in keep.items()}, obs


def gae(cfg, data):
    adv = torch.zeros_like(data["rew"])
    acc = torch.zeros(cfg.envs)
    for t in range(cfg.horizon - 1, -1, -1):
        delta = data["rew"][t] + cfg.gamma * (1 - data["term"][t]) * data["nxt"][t] - data["val"][t]
        stop = data["term"][t] if cfg.fault == "f02" else data["cut"][t]
        acc = delta + cfg.gamma * cfg.lam * (1 - stop) * acc
        adv[t] = acc
    return adv


def main(cfg: Config):
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    envs = [make_env(cfg) for _ in range(cfg.envs)]
    obs = np.stack([e.reset(seed=cfg.seed * 1000 + i)[0] for i, e in enumerate(envs)])

    actor = GaussianActor(4, 2, -5.0 if cfg.fault == "f05" else -0.5)
    critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    params = list(actor.parameters()) + list(critic.parameters())
    opt = torch.optim.Adam(params, lr=cfg.lr, eps=1e-5)

    obs_stats, ret_stats = RunningStats((4,)), RunningStats()
    disc_ret, ep_ret, finished = np.zeros(cfg.envs), np.zeros(cfg.envs), []
    rounds = max(1, cfg.steps // (cfg.envs * cfg.horizon))
    steps = 0
    obs_stats.update(obs)
    print(f"[{steps:>6}] evaluation {evaluate(cfg, actor, obs_stats):8.2f}")

    for rnd in range(rounds):
        frac = 1 - steps / rounds if cfg.fault == "f10" else 1 - rnd / rounds
        for g in opt.param_groups:
            g["lr"] = cfg.lr * max(frac, 0.0)

        data, obs = collect(cfg, envs, obs, actor, critic, obs_stats, ret_stats, disc_ret, ep_ret, finished)
        steps += cfg.envs * cfg.horizon
        adv = gae(cfg, data)
        if cfg.fault == "f07":
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        target = adv + data["val"]

        n = cfg.envs * cfg.horizon
        flat_obs, flat_act = data["obs"].reshape(n, -1), data["act"].reshape(n, -1)
        flat_logp, flat_adv, flat_tgt = data["logp"].reshape(n), adv.reshape(n), target.reshape(n)
        pl, vl, kl = 0.0, 0.0, 0.0
        for _ in range(cfg.epochs):
            perm = rng.permutation(n)
            for s in range(0, n, cfg.minibatch):
                j = torch.from_numpy(perm[s:s + cfg.minibatch])
                pi = actor(flat_obs[j])
                each = pi.log_prob(flat_act[j])
                logp = each.mean(-1) if cfg.fault == "f08" else each.sum(-1)
                ratio = torch.exp(logp - flat_logp[j])
                a = flat_adv[j]
                a = (a - a.mean()) / (a.std() + 1e-8)
                policy_loss = -torch.minimum(ratio * a, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * a).mean()
                value_loss = F.mse_loss(critic(flat_obs[j]).squeeze(-1), flat_tgt[j])
                opt.zero_grad()
                (policy_loss + 0.5 * value_loss).backward()
                nn.utils.clip_grad_norm_(params, 0.5)
                opt.step()
                pl, vl = policy_loss.item(), value_loss.item()
                kl = (flat_logp[j] - logp.detach()).mean().item()
        if (rnd + 1) % cfg.eval_every == 0 or rnd + 1 == rounds:
            recent = np.mean(finished[-30:]) if finished else float("nan")
            print(f"[{steps:>6}] return {recent:8.2f}  evaluation {evaluate(cfg, actor, obs_stats):8.2f}  "
                  f"policy_loss {pl:.4f}  value_loss {vl:.4f}  kl {kl:.4f}  std {actor.log_std.exp().mean().item():.3f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=49152)
    ap.add_argument("--fault", default="none")
    ns = ap.parse_args()
    main(Config(seed=ns.seed, steps=ns.steps, fault=ns.fault))
