"""Proximal policy optimisation with a Gaussian policy and running observation normalisation.

Task: a puck on an air table has to be brought to a marked spot with two small thrusters.
"""
from __future__ import annotations

import argparse
from typing import Optional

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.distributions import Normal


class GlideEnv(gym.Env):
    """Position in metres, velocity in m/s, offset to the spot in centimetres."""

    dt = 0.2
    arena = 3.0

    def __init__(self, max_steps: int = 80, fault: str = "none"):
        self.observation_space = spaces.Box(
            np.array([-3, -3, -2, -2, -600, -600], dtype=np.float32),
            np.array([3, 3, 2, 2, 600, 600], dtype=np.float32),
        )
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.max_steps = max_steps
        self.fault = fault

    def _obs(self):
        return np.concatenate([self.pos, self.vel, 100.0 * (self.spot - self.pos)]).astype(np.float32)

    def reset(self, *, seed: Optional[int] = None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(-2.5, 2.5, 2)
        self.spot = self.np_random.uniform(-2.5, 2.5, 2)
        self.vel = np.zeros(2)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        force = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        if self.fault == "f07":
            force = force * self.dt
        self.vel = np.clip(0.9 * self.vel + self.dt * 1.5 * force, -2.0, 2.0)
        new = self.pos + self.dt * self.vel
        hit = np.abs(new) > self.arena
        self.vel[hit] = 0.0
        self.pos = np.clip(new, -self.arena, self.arena)
        self.t += 1

        dist = float(np.linalg.norm(self.spot - self.pos))
        reached = dist < 0.35
        reward = -0.1 * dist - 0.01 * float(np.sum(force**2)) + (3.0 if reached else 0.0)
        truncated = self.t >= self.max_steps and not reached
        return self._obs(), reward, reached, truncated, {}


class RunningNorm:
    def __init__(self, dim: int, fault: str = "none"):
        self.mean = np.zeros(dim)
        self.var = np.ones(dim)
        self.count = 1e-4
        self.fault = fault

    def update(self, x: np.ndarray):
        m, v, n = x.mean(0), x.var(0), x.shape[0]
        delta = m - self.mean
        total = self.count + n
        self.mean = self.mean + delta * n / total
        self.var = (self.var * self.count + v * n + delta**2 * self.count * n / total) / total
        self.count = total

    def __call__(self, x: np.ndarray) -> np.ndarray:
        if self.fault == "f02":
            return np.clip((x - self.mean) / (self.var + 1e-8), -10, 10).astype(np.float32)
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -10, 10).astype(np.float32)


class RewardScaler:
    """Divides rewards by the running standard deviation of the discounted return."""

    def __init__(self, n: int, gamma: float, fault: str = "none"):
        self.ret = np.zeros(n)
        self.stats = RunningNorm(1)
        self.gamma = gamma
        self.fault = fault

    def __call__(self, reward, done):
        self.ret = self.ret * self.gamma + reward
        self.stats.update(self.ret[:, None])
        scaled = reward / np.sqrt(self.stats.var[0] + 1e-8)
        if self.fault == "f05":
            scaled = (reward - self.stats.mean[0]) / np.sqrt(self.stats.var[0] + 1e-8)
        self.ret[done] = 0.0
        return np.clip(scaled, -10, 10)


class ActorCritic(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int, hidden: int = 64):
        super().__init__()
        self.pi = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, act_dim)
        )
        self.vf = nn.Sequential(
            nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1)
        )
        self.log_std = nn.Parameter(torch.full((act_dim,), -0.3))
        with torch.no_grad():
            self.pi[-1].weight.mul_(0.01)

    def dist(self, obs):
        return Normal(self.pi(obs), self.log_std.exp())

    def value(self, obs):
        return self.vf(obs).squeeze(-1)


def gae(rewards, values, next_values, terminated, done, gamma, lam):
    adv = torch.zeros_like(rewards)
    last = torch.zeros(rewards.shape[1])
    for t in reversed(range(rewards.shape[0])):
        delta = rewards[t] + gamma * next_values[t] * (1 - terminated[t]) - values[t]
        last = delta + gamma * lam * (1 - done[t]) * last
        adv[t] = last
    return adv


class PPO:
    def __init__(self, args):
        self.args = args
        self.n, self.horizon = 8, 256
        self.gamma, self.lam = 0.98, 0.92
        self.epochs, self.minibatch, self.clip = 8, 256, 0.2
        self.envs = [GlideEnv(fault=args.fault) for _ in range(self.n)]
        self.eval_env = GlideEnv(fault=args.fault)
        space = self.envs[0].observation_space
        self.norm = RunningNorm(space.shape[0], fault=args.fault)
        self.rscale = RewardScaler(self.n, self.gamma, fault=args.fault)
        self.net = ActorCritic(space.shape[0], self.envs[0].action_space.shape[0])
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.raw_obs = np.stack([e.reset(seed=args.seed * 1000 + i)[0] for i, e in enumerate(self.envs)])
        self.norm.update(self.raw_obs)
        self.ep_ret = np.zeros(self.n)
        self.finished: list[float] = []
        self.total_steps = 0

    def collect(self):
        T, N = self.horizon, self.n
        buf = {
            "obs": torch.zeros(T, N, 6), "act": torch.zeros(T, N, 2), "logp": torch.zeros(T, N),
            "rew": torch.zeros(T, N), "val": torch.zeros(T, N), "nval": torch.zeros(T, N),
            "term": torch.zeros(T, N), "done": torch.zeros(T, N),
        }
        for t in range(T):
            obs = torch.from_numpy(self.norm(self.raw_obs))
            with torch.no_grad():
                dist = self.net.dist(obs)
                act = dist.sample()
                logp = dist.log_prob(act).sum(-1)
                val = self.net.value(obs)
            env_act = act.clamp(-1.0, 1.0)
            if self.args.fault == "f09":
                act = env_act
            nxt, rew = np.zeros_like(self.raw_obs), np.zeros(N)
            term, done = np.zeros(N, bool), np.zeros(N, bool)
            final = np.zeros_like(self.raw_obs)
            for i, env in enumerate(self.envs):
                o, r, te, tr, _ = env.step(env_act[i].numpy())
                self.ep_ret[i] += r
                final[i] = o
                rew[i], term[i], done[i] = r, te, te or tr
                if te or tr:
                    self.finished.append(self.ep_ret[i])
                    self.ep_ret[i] = 0.0
                    o, _ = env.reset()
                nxt[i] = o
            with torch.no_grad():
                nval = self.net.value(torch.from_numpy(self.norm(final)))
            buf["obs"][t], buf["act"][t], buf["logp"][t], buf["val"][t], buf["nval"][t] = obs, act, logp, val, nval
            buf["rew"][t] = torch.as_tensor(self.rscale(rew, done), dtype=torch.float32)
            buf["term"][t] = torch.as_tensor(term, dtype=torch.float32)
            buf["done"][t] = torch.as_tensor(done, dtype=torch.float32)
            self.raw_obs = nxt
            self.norm.update(nxt)
            self.total_steps += N
        return buf

    def update(self, buf):
        fault = self.args.fault
        if fault == "f03":
            adv = gae(buf["rew"], buf["val"], buf["nval"], buf["term"], buf["done"], self.lam, self.gamma)
        else:
            adv = gae(buf["rew"], buf["val"], buf["nval"], buf["term"], buf["done"], self.gamma, self.lam)
        ret = (adv + buf["val"]).flatten()
        adv = adv.flatten()
        obs, act, logp_old = buf["obs"].flatten(0, 1), buf["act"].flatten(0, 1), buf["logp"].flatten()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        info = {}
        for _ in range(self.epochs):
            perm = torch.randperm(len(adv))
            for idx in perm.split(self.minibatch):
                dist = self.net.dist(obs[idx])
                logp = dist.log_prob(act[idx]).sum(-1)
                old = logp_old[idx]
                if fault == "f08":
                    old = logp.detach()
                ratio = (logp - old).exp()
                surr = torch.min(ratio * adv[idx], ratio.clamp(1 - self.clip, 1 + self.clip) * adv[idx])
                value = self.net.value(obs[idx])
                if fault == "f01":
                    value = value.detach()
                v_loss = (value - ret[idx]).pow(2).mean()
                ent = dist.entropy().sum(-1).mean()
                loss = -surr.mean() + 0.5 * v_loss - 0.001 * ent
                if fault != "f06":
                    self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.opt.step()
        info["v_loss"], info["entropy"], info["std"] = v_loss.item(), ent.item(), self.net.log_std.exp().mean().item()
        return info

    @torch.no_grad()
    def evaluate(self, episodes=10):
        out = []
        for k in range(episodes):
            o, _ = self.eval_env.reset(seed=777 + k)
            total, over = 0.0, False
            while not over:
                a = self.net.pi(torch.from_numpy(self.norm(o[None])))[0].clamp(-1, 1).numpy()
                o, r, te, tr, _ = self.eval_env.step(a)
                total += r
                over = te or tr
            out.append(total)
        return float(np.mean(out))

    def train(self):
        iters = max(1, self.args.steps // (self.n * self.horizon))
        for it in range(iters):
            if self.args.fault == "f04":
                with torch.no_grad():
                    self.net.log_std.fill_(-0.3 - 0.6 * it)
                    self.net.log_std.clamp_(min=-5.0)
            buf = self.collect()
            info = self.update(buf)
            if it % 4 == 0 or it == iters - 1:
                train_ret = np.mean(self.finished[-40:]) if self.finished else float("nan")
                print(
                    f"[{self.total_steps:>7d}] train_return {train_ret:7.3f}  eval_return {self.evaluate():7.3f}  "
                    + "  ".join(f"{k} {v:.4f}" for k, v in info.items())
                )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=64_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="none")
    args = parser.parse_args()
    torch.set_num_threads(1)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    PPO(args).train()


if __name__ == "__main__":
    main()
