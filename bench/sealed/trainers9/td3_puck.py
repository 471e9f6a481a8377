#!/usr/bin/env python
"""TD3 pushing a puck over ice to a mark."""
import argparse
import copy
import time
from typing import NamedTuple

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class IcePuck(gym.Env):
    """A puck with little friction on a square rink; thrust along x and y, both in [-2, 2] newton.

    Observation: position, velocity, vector to the mark."""

    FRICTION = 0.15
    DT = 0.1

    def __init__(self, fault=None, horizon=80):
        self.fault, self.horizon = fault, horizon
        self.action_space = gym.spaces.Box(-2.0, 2.0, (2,), np.float32)
        lim = np.array([1.6, 1.6, 4.0, 4.0, 3.0, 3.0], np.float32)
        self.observation_space = gym.spaces.Box(-lim, lim, dtype=np.float32)

    def _get_obs(self):
        return np.concatenate([self.pos, self.vel, self.mark - self.pos]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(-0.8, 0.8, 2)
        self.vel = self.np_random.uniform(-0.2, 0.2, 2)
        self.mark = self.np_random.uniform(-0.7, 0.7, 2)
        self.elapsed = 0
        return self._get_obs(), {}

    def step(self, action):
        before = self._get_obs()
        thrust = np.clip(np.asarray(action, np.float64), -2.0, 2.0)
        self.vel = self.vel + self.DT * (thrust - self.FRICTION * self.vel)
        self.pos = self.pos + self.DT * self.vel
        self.elapsed += 1
        gap = float(np.linalg.norm(self.mark - self.pos))
        reward = 0.5 - gap - 0.02 * float(thrust @ thrust)
        hit_wall = bool(np.abs(self.pos).max() > 1.2)
        if hit_wall:
            reward -= 10.0
        obs = before if self.fault == "f06" else self._get_obs()
        return obs, reward, hit_wall, self.elapsed >= self.horizon and not hit_wall, {}


class Batch(NamedTuple):
    s: torch.Tensor
    a: torch.Tensor
    r: torch.Tensor
    s2: torch.Tensor
    d: torch.Tensor


class ReplayMemory:
    def __init__(self, s_dim, a_dim, capacity):
        self.s = np.zeros((capacity, s_dim), np.float32)
        self.a = np.zeros((capacity, a_dim), np.float32)
        self.r = np.zeros((capacity, 1), np.float32)
        self.s2 = np.zeros((capacity, s_dim), np.float32)
        self.d = np.zeros((capacity, 1), np.float32)
        self.capacity, self.ptr, self.full = capacity, 0, False

    def __len__(self):
        return self.capacity if self.full else self.ptr

    def append(self, s, a, r, s2, d):
        self.s[self.ptr], self.a[self.ptr], self.r[self.ptr], self.s2[self.ptr], self.d[self.ptr] = s, a, r, s2, d
        self.ptr += 1
        if self.ptr == self.capacity:
            self.ptr, self.full = 0, True

    def sample(self, n):
        k = np.random.randint(0, len(self), size=n)
        return Batch(*(torch.from_numpy(x[k]) for x in (self.s, self.a, self.r, self.s2, self.d)))


class Actor(nn.Module):
    def __init__(self, s_dim, a_dim, limit):
        super().__init__()
        self.limit = limit
        self.layers = nn.Sequential(
            nn.Linear(s_dim, 64), nn.LayerNorm(64), nn.ReLU(),
            nn.Linear(64, 64), nn.ReLU(),
            nn.Linear(64, a_dim), nn.Tanh(),
        )

    def forward(self, s):
        return self.limit * self.layers(s)


class QFunction(nn.Module):
    def __init__(self, s_dim, a_dim):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(s_dim + a_dim, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 1))

    def forward(self, s, a):
        return self.layers(torch.cat([s, a], 1))


class TD3:
    def __init__(self, s_dim, a_dim, limit, cfg):
        self.cfg, self.limit = cfg, limit
        self.actor = Actor(s_dim, a_dim, limit)
        self.q1, self.q2 = QFunction(s_dim, a_dim), QFunction(s_dim, a_dim)
        self.actor_t, self.q1_t, self.q2_t = (copy.deepcopy(n) for n in (self.actor, self.q1, self.q2))
        lr = 0.05 if cfg.fault == "f04" else cfg.lr
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.critic_optimizer = torch.optim.Adam([*self.q1.parameters(), *self.q2.parameters()], lr=lr)
        self.it = 0
        self.offset = np.random.normal(0.0, cfg.explore_noise * limit, a_dim)

    @torch.no_grad()
    def act(self, s, explore):
        a = self.actor(torch.from_numpy(s).unsqueeze(0)).squeeze(0).numpy()
        if explore:
            if self.cfg.fault == "f03":
                a = a + self.offset
            else:
                a = a + np.random.normal(0.0, self.cfg.explore_noise * self.limit, a.shape)
        return np.clip(a, -self.limit, self.limit).astype(np.float32)

    def update(self, batch):
        cfg = self.cfg
        self.it += 1
        r, d = batch.r, batch.d
        if cfg.fault == "f05":
            r, d = r.squeeze(1), d.squeeze(1)
        with torch.no_grad():
            noise = (torch.randn_like(batch.a) * cfg.policy_noise * self.limit).clamp(-cfg.noise_clip * self.limit, cfg.noise_clip * self.limit)
            a2 = (self.actor_t(batch.s2) + noise).clamp(-self.limit, self.limit)
            q_next = torch.minimum(self.q1_t(batch.s2, a2), self.q2_t(batch.s2, a2))
            y = r + cfg.gamma * (1.0 - d) * q_next
        v1, v2 = self.q1(batch.s, batch.a), self.q2(batch.s, batch.a)
        critic_loss = (v1 - y).pow(2).mean() + (v2 - y).pow(2).mean()
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()

        if self.it % cfg.policy_delay == 0:
            a = batch.a if cfg.fault == "f01" else self.actor(batch.s)
            actor_loss = -self.q1(batch.s, a).mean()
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
            for net, slow in ((self.actor, self.actor_t), (self.q1, self.q1_t), (self.q2, self.q2_t)):
                for p, ps in zip(net.parameters(), slow.parameters()):
                    ps.data.copy_((1.0 - cfg.tau) * ps.data + cfg.tau * p.data)
        return critic_loss.item(), v1.mean().item()


def assess(agent, env, n, seed):
    totals = []
    for i in range(n):
        s, _ = env.reset(seed=seed + i)
        total, stop = 0.0, False
        while not stop:
            s, r, term, trunc, _ = env.step(agent.act(s, explore=False))
            total, stop = total + r, term or trunc
        totals.append(total)
    return np.mean(totals)


def get_cfg():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=10_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", choices=["none", "f01", "f02", "f03", "f04", "f05", "f06"], default="none")
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--gamma", type=float, default=0.97)
    ap.add_argument("--tau", type=float, default=0.01)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--warmup", type=int, default=600)
    ap.add_argument("--explore-noise", type=float, default=0.15)
    ap.add_argument("--policy-noise", type=float, default=0.2)
    ap.add_argument("--noise-clip", type=float, default=0.5)
    ap.add_argument("--policy-delay", type=int, default=2)
    return ap.parse_args()


if __name__ == "__main__":
    cfg = get_cfg()
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    env, eval_env = IcePuck(cfg.fault), IcePuck(cfg.fault)
    env.action_space.seed(cfg.seed)
    agent = TD3(6, 2, float(env.action_space.high[0]), cfg)
    memory = ReplayMemory(6, 2, 40_000)

    s, _ = env.reset(seed=cfg.seed)
    score, scores, began = 0.0, [], time.time()
    c_loss = q_avg = float("nan")
    for t in range(1, cfg.steps + 1):
        a = env.action_space.sample() if t <= cfg.warmup else agent.act(s, explore=True)
        s2, r, term, trunc, _ = env.step(a)
        score += r
        follow = s2
        if term or trunc:
            scores.append(score)
            score = 0.0
            follow, _ = env.reset()
        memory.append(s, a, r, follow if cfg.fault == "f02" else s2, float(term))
        s = follow

        if t > cfg.warmup:
            c_loss, q_avg = agent.update(memory.sample(cfg.batch))
        if t % 500 == 0:
            print(f"t={t:<6d} episodes={len(scores):<4d} return={np.mean(scores[-8:]):8.2f} critic_loss={c_loss:.3f} q={q_avg:.2f} time={time.time() - began:.0f}s", flush=True)
        if t % 2000 == 0:
            print(f"t={t:<6d} test={assess(agent, eval_env, 5, 10_000):.2f}", flush=True)
