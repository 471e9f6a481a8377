"""Proximal policy optimisation for planar docking.

The chaser has two thrusters and has to arrive at the port slowly.
"""
from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Dict, List, Tuple

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Normal


@dataclass
class Config:
    total_steps: int
    seed: int
    fault: str
    n_envs: int = 8
    horizon: int = 128
    epochs: int = 6
    minibatches: int = 4
    discount: float = 0.98
    lam: float = 0.95
    clip: float = 0.2
    lr: float = 7e-4
    entropy_weight: float = 0.001
    max_norm: float = 0.5


class DockingEnv(gym.Env):
    LIMIT = 2.0
    DT = 0.1

    def __init__(self, fault: str = "", max_steps: int = 100):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.fault = fault
        self.max_steps = max_steps
        self.t = 0
        self.pos = np.zeros(2)
        self.vel = np.zeros(2)

    def _observe(self) -> np.ndarray:
        return np.concatenate([self.pos, self.vel]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        angle = self.np_random.uniform(0, 2 * np.pi)
        radius = self.np_random.uniform(0.8, 1.5)
        self.pos = radius * np.array([np.cos(angle), np.sin(angle)])
        self.vel = self.np_random.uniform(-0.2, 0.2, size=2)
        if self.fault != "f05":
            self.t = 0
        return self._observe(), {}

    def step(self, action):
        thrust = np.clip(action, -1.0, 1.0)
        self.vel = self.vel + self.DT * thrust
        self.pos = self.pos + self.DT * self.vel
        self.t += 1
        distance = float(np.linalg.norm(self.pos))
        speed = float(np.linalg.norm(self.vel))
        reward = -0.1 * distance - 0.01 * float(np.square(thrust).sum())
        terminated = False
        if distance < 0.15 and speed < 0.5:
            reward += 5.0
            terminated = True
        elif np.abs(self.pos).max() > self.LIMIT:
            reward -= 5.0
            terminated = True
        truncated = self.t >= self.max_steps and not terminated
        return self._observe(), reward, terminated, truncated, {}


class RunningNorm:
    def __init__(self, dim: int, fault: str):
        self.count = 1e-4
        self.mean = np.zeros(dim)
        self.m2 = np.ones(dim) * 1e-4
        self.fault = fault

    def update(self, batch: np.ndarray) -> None:
        n = batch.shape[0]
        delta = batch.mean(axis=0) - self.mean
        total = self.count + n
        self.m2 = self.m2 + batch.var(axis=0) * n + delta**2 * self.count * n / total
        self.mean = self.mean + delta * n / total
        self.count = total

    @property
    def std(self) -> np.ndarray:
        if self.fault == "f02":
            return np.sqrt(self.m2) + 1e-6
        return np.sqrt(self.m2 / self.count) + 1e-6

    def __call__(self, x: np.ndarray) -> Tensor:
        z = np.clip((x - self.mean) / self.std, -8, 8)
        return torch.as_tensor(z, dtype=torch.float32)


class GaussianActorCritic(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int, width: int = 64):
        super().__init__()
        self.mu = self._mlp(obs_dim, act_dim, width)
        self.v = self._mlp(obs_dim, 1, width)
        self.log_sigma = nn.Parameter(torch.full((act_dim,), -0.5))
        with torch.no_grad():
            self.mu[-1].weight.mul_(0.01)

    @staticmethod
    def _mlp(n_in: int, n_out: int, width: int) -> nn.Sequential:
        return nn.Sequential(nn.Linear(n_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, n_out))

    def distribution(self, z: Tensor) -> Normal:
        mu = self.mu(z)
        return Normal(mu, self.log_sigma.exp().expand_as(mu))

    def value(self, z: Tensor) -> Tensor:
        return self.v(z).squeeze(-1)


class Learner:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.envs: List[DockingEnv] = [DockingEnv(cfg.fault) for _ in range(cfg.n_envs)]
        self.norm = RunningNorm(4, cfg.fault)
        self.net = GaussianActorCritic(4, 2)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr, eps=1e-5)
        n_iterations = max(1, cfg.total_steps // (cfg.n_envs * cfg.horizon))
        self.n_iterations = n_iterations
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.opt, lambda k: max(0.0, 1.0 - k / n_iterations))
        self.raw_obs = np.stack([e.reset(seed=cfg.seed * 100 + i)[0] for i, e in enumerate(self.envs)])
        self.running = np.zeros(cfg.n_envs)
        self.history: List[float] = []
        self.samples = 0

    def rollout(self) -> Dict[str, Tensor]:
        cfg = self.cfg
        T, N = cfg.horizon, cfg.n_envs
        data = {
            "z": torch.zeros(T, N, 4),
            "a": torch.zeros(T, N, 2),
            "logp": torch.zeros(T, N),
            "r": torch.zeros(T, N),
            "v": torch.zeros(T, N),
            "v_next": torch.zeros(T, N),
            "cut": torch.zeros(T, N),
        }
        raw = []
        for t in range(T):
            raw.append(self.raw_obs.copy())
            z = self.norm(self.raw_obs)
            with torch.no_grad():
                dist = self.net.distribution(z)
                u = dist.sample()
                data["logp"][t] = dist.log_prob(u).sum(-1)
                data["v"][t] = self.net.value(z)
            executed = u.clamp(-1.0, 1.0)
            data["z"][t] = z
            data["a"][t] = executed if cfg.fault == "f01" else u
            following = np.empty_like(self.raw_obs)
            fresh = np.empty_like(self.raw_obs)
            alive = torch.ones(N)
            for i, env in enumerate(self.envs):
                o, r, terminated, truncated, _ = env.step(executed[i].numpy())
                following[i] = o
                data["r"][t, i] = r
                self.running[i] += r
                over = terminated or truncated
                if terminated or (truncated and cfg.fault == "f03"):
                    alive[i] = 0.0
                if over:
                    data["cut"][t, i] = 1.0
                    self.history.append(self.running[i])
                    self.running[i] = 0.0
                    o, _ = env.reset()
                fresh[i] = o
            with torch.no_grad():
                data["v_next"][t] = self.net.value(self.norm(following)) * alive
            self.raw_obs = fresh
            self.samples += N
        self.norm.update(np.concatenate(raw))
        return data

    def advantages(self, data: Dict[str, Tensor]) -> Tuple[Tensor, Tensor]:
        cfg = self.cfg
        adv = torch.zeros_like(data["r"])
        acc = torch.zeros(cfg.n_envs)
        for t in range(cfg.horizon - 1, -1, -1):
            delta = data["r"][t] + cfg.discount * data["v_next"][t] - data["v"][t]
            acc = delta + cfg.discount * cfg.lam * (1.0 - data["cut"][t]) * acc
            adv[t] = acc
        return adv, adv + data["v"]

    def improve(self, data: Dict[str, Tensor]) -> Dict[str, float]:
        cfg = self.cfg
        adv, ret = self.advantages(data)
        z, a = data["z"].flatten(0, 1), data["a"].flatten(0, 1)
        logp_old, adv, ret = data["logp"].flatten(), adv.flatten(), ret.flatten()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        stats = {}
        for _ in range(cfg.epochs):
            for idx in torch.randperm(z.shape[0]).chunk(cfg.minibatches):
                dist = self.net.distribution(z[idx])
                if cfg.fault == "f04":
                    logp = dist.log_prob(a[idx]).mean(-1)
                else:
                    logp = dist.log_prob(a[idx]).sum(-1)
                ratio = torch.exp(logp - logp_old[idx])
                surrogate = torch.min(ratio * adv[idx], ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * adv[idx])
                value_error = (self.net.value(z[idx]) - ret[idx]).pow(2).mean()
                entropy = dist.entropy().sum(-1).mean()
                loss = -surrogate.mean() + 0.5 * value_error - cfg.entropy_weight * entropy
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), cfg.max_norm)
                self.opt.step()
                if cfg.fault == "f06":
                    self.sched.step()
                stats = {"kl": (logp_old[idx] - logp).mean().item(), "value_error": value_error.item(), "entropy": entropy.item()}
        if cfg.fault != "f06":
            self.sched.step()
        return stats

    @torch.no_grad()
    def evaluate(self, episodes: int = 10) -> float:
        scores = []
        for k in range(episodes):
            env = DockingEnv()
            obs, _ = env.reset(seed=10_000 + k)
            score, over = 0.0, False
            while not over:
                if self.cfg.fault == "f07":
                    z = torch.as_tensor(obs)
                else:
                    z = self.norm(obs)
                action = self.net.mu(z).clamp(-1, 1).numpy()
                obs, r, terminated, truncated, _ = env.step(action)
                score += r
                over = terminated or truncated
            scores.append(score)
        return float(np.mean(scores))

    def train(self) -> None:
        for it in range(self.n_iterations):
            stats = self.improve(self.rollout())
            if it % 8 == 0 or it == self.n_iterations - 1:
                recent = np.mean(self.history[-30:]) if self.history else float("nan")
                line = " ".join(f"{k}={v:.4f}" for k, v in stats.items())
                print(f"[{self.samples:>7d}] train_return={recent:.3f} eval_return={self.evaluate():.3f} {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=80_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="")
    ns = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(ns.seed)
    np.random.seed(ns.seed)
    Learner(Config(total_steps=ns.steps, seed=ns.seed, fault=ns.fault)).train()


if __name__ == "__main__":
    main()
