"""Soft actor-critic with automatic temperature; a rover drives to a flag."""
import argparse
import random
from typing import NamedTuple

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Rover(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self):
        # forward speed, turn rate
        self.action_space = gym.spaces.Box(np.array([0.0, -3.0], np.float32), np.array([1.5, 3.0], np.float32))
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (5,), np.float32)

    def _look(self):
        d = self.flag - self.xy
        b = np.arctan2(d[1], d[0]) - self.th
        dist = float(np.hypot(*d))
        return np.array([dist, np.cos(b), np.sin(b), self.speed, self.turn / 3.0], np.float32), dist

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.xy = self.np_random.uniform(-1, 1, 2)
        self.flag = self.np_random.uniform(-1, 1, 2)
        self.th = float(self.np_random.uniform(-np.pi, np.pi))
        self.speed = self.turn = 0.0
        return self._look()[0], {}

    def step(self, action):
        a = np.clip(np.asarray(action, np.float64), self.action_space.low, self.action_space.high)
        self.speed += 0.6 * (a[0] - self.speed)
        self.turn += 0.6 * (a[1] - self.turn)
        self.th += 0.15 * self.turn
        self.xy = self.xy + 0.15 * self.speed * np.array([np.cos(self.th), np.sin(self.th)])
        obs, dist = self._look()
        return obs, -0.2 - 0.5 * min(dist, 3.0), dist < 0.15, False, {}


gym.register(id="Rover-v0", entry_point=Rover, max_episode_steps=60)


class Batch(NamedTuple):
    obs: torch.Tensor
    act: torch.Tensor
    rew: torch.Tensor
    nxt: torch.Tensor
    stop: torch.Tensor


class Memory:
    def __init__(self, split_index: bool):
        self.rows = []
        self.split_index = split_index

    def add(self, *row):
        self.rows.append(row)

    def draw(self, n):
        picked = random.choices(self.rows, k=n)
        cols = [torch.as_tensor(np.asarray(c, dtype=np.float32)) for c in zip(*picked)]
        if self.split_index:
            again = random.choices(self.rows, k=n)
            cols[2] = torch.tensor([row[2] for row in again], dtype=torch.float32)
        return Batch(*cols)


class GaussianActor(nn.Module):
    def __init__(self, n_obs, n_act, correct=True, path=True):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_obs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.mu = nn.Linear(64, n_act)
        self.ls = nn.Linear(64, n_act)
        self.correct, self.path = correct, path

    def forward(self, obs):
        h = self.trunk(obs)
        dist = torch.distributions.Normal(self.mu(h), self.ls(h).clamp(-5, 2).exp())
        raw = dist.rsample() if self.path else dist.sample()
        logp = dist.log_prob(raw)
        if self.correct:
            logp = logp - 2 * (np.log(2) - raw - nn.functional.softplus(-2 * raw))
        return torch.tanh(raw), logp.sum(-1), torch.tanh(dist.mean)


class Critic(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(n_obs + n_act, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, obs, act):
        return self.f(torch.cat((obs, act), -1)).squeeze(-1)


class SAC:
    def __init__(self, env, fault):
        self.env, self.fault = env, fault
        n_obs, n_act = env.observation_space.shape[0], env.action_space.shape[0]
        self.lo, self.hi = env.action_space.low, env.action_space.high
        self.actor = GaussianActor(n_obs, n_act, correct=fault != "f02", path=fault != "f05")
        self.q = nn.ModuleList([Critic(n_obs, n_act), Critic(n_obs, n_act)])
        self.q_slow = nn.ModuleList([Critic(n_obs, n_act), Critic(n_obs, n_act)])
        self.q_slow.load_state_dict(self.q.state_dict())
        self.log_alpha = torch.tensor(np.log(0.2), dtype=torch.float32, requires_grad=True)
        self.goal_entropy = 4.0 * n_act if fault == "f04" else -float(n_act)
        self.opt_pi = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.opt_q = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.opt_alpha = torch.optim.Adam([self.log_alpha], lr=1e-3)
        self.gamma, self.tau = 0.97, 0.01
        self.memory = Memory(split_index=fault == "f09")

    def to_env(self, a):
        if self.fault == "f06":
            return self.lo + a * (self.hi - self.lo)
        return self.lo + 0.5 * (a + 1.0) * (self.hi - self.lo)

    def see(self, obs):
        bound = 0.1 if self.fault == "f07" else 10.0
        return np.clip(obs, -bound, bound)

    def choose(self, obs, greedy=False):
        with torch.no_grad():
            a, _, m = self.actor(torch.as_tensor(self.see(obs)))
        return (m if greedy else a).numpy()

    def train_once(self, n=96):
        b = self.memory.draw(n)
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            na, nlp, _ = self.actor(b.nxt)
            soft = torch.min(self.q_slow[0](b.nxt, na), self.q_slow[1](b.nxt, na))
            soft = soft + alpha * nlp if self.fault == "f03" else soft - alpha * nlp
            y = b.rew + self.gamma * (1.0 - b.stop) * soft
        q_loss = sum(((q(b.obs, b.act) - y) ** 2).mean() for q in self.q)
        if self.fault != "f08":
            self.opt_q.zero_grad()
        q_loss.backward()
        self.opt_q.step()

        a, lp, _ = self.actor(b.obs)
        pi_loss = (alpha * lp - torch.min(self.q[0](b.obs, a), self.q[1](b.obs, a))).mean()
        self.opt_pi.zero_grad()
        pi_loss.backward()
        self.opt_pi.step()

        gap = (lp.detach() + self.goal_entropy).mean()
        alpha_loss = self.log_alpha.exp() * gap if self.fault == "f01" else -self.log_alpha.exp() * gap
        self.opt_alpha.zero_grad()
        alpha_loss.backward()
        self.opt_alpha.step()

        with torch.no_grad():
            for s, p in zip(self.q_slow.parameters(), self.q.parameters()):
                s.lerp_(p, self.tau)
        return q_loss.item(), pi_loss.item(), alpha.item(), -lp.mean().item()

    def fit(self, steps, seed):
        obs, _ = self.env.reset(seed=seed)
        ret, done_returns, stats = 0.0, [], (0.0, 0.0, 0.0, 0.0)
        for i in range(steps):
            a = np.random.uniform(-1, 1, 2).astype(np.float32) if i < 500 else self.choose(obs)
            nxt, r, term, trunc, _ = self.env.step(self.to_env(a).astype(np.float32))
            ret += r
            if self.fault == "f10":
                r = r + 5.0
            self.memory.add(self.see(obs), a, r, self.see(nxt), float(term))
            obs = nxt
            if term or trunc:
                done_returns.append(ret)
                ret = 0.0
                obs, _ = self.env.reset()
            if i >= 500:
                stats = self.train_once()
            if (i + 1) % 500 == 0:
                print("%6d  return %8.2f  q %.4f  pi %.3f  alpha %.4f  entropy %.2f" % (i + 1, np.mean(done_returns[-20:]) if done_returns else np.nan, *stats))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=11)
    ap.add_argument("--steps", type=int, default=4_000)
    ap.add_argument("--fault", default="none")
    a = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    np.random.seed(a.seed)
    random.seed(a.seed)
    SAC(gym.make("Rover-v0"), a.fault).fit(a.steps, a.seed)
