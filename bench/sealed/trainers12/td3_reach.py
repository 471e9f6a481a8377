"""TD3 for a puck that is pushed to a goal on a table. Environment, replay, networks and loop live here."""
import argparse
import copy
import json
import sys

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from gymnasium import spaces

torch.set_num_threads(1)


class PuckReach(gym.Env):
    """Force in the plane moves a puck with friction. The goal changes with each episode."""

    def __init__(self, horizon=50, fault=""):
        self.horizon = horizon
        self.fault = fault
        self.radius = 3.0 if fault == "f07" else 0.15
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.state = np.zeros(6, dtype=np.float32)
        self.goal = np.zeros(2, dtype=np.float32)

    def _observe(self):
        if self.fault == "f01":
            return self.state
        return self.state.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.fault == "f02":
            self.state[4:6] = self.goal
        self.goal = self.np_random.uniform(-1, 1, 2).astype(np.float32)
        if self.fault != "f02":
            self.state[4:6] = self.goal
        self.state[0:2] = self.np_random.uniform(-1, 1, 2)
        self.state[2:4] = 0.0
        self.t = 0
        return self._observe(), {}

    def step(self, action):
        force = np.clip(action, -1.0, 1.0)
        self.state[2:4] = 0.8 * self.state[2:4] + 0.05 * force
        self.state[0:2] = np.clip(self.state[0:2] + self.state[2:4], -1.5, 1.5)
        self.t += 1
        distance = float(np.linalg.norm(self.state[0:2] - self.goal))
        reward = distance if self.fault == "f03" else -distance
        success = distance < self.radius
        return self._observe(), reward, False, self.t >= self.horizon, {"success": success}


class Replay:
    def __init__(self, capacity, obs_dim, act_dim):
        self.data = {
            "obs": np.zeros((capacity, obs_dim), np.float32), "act": np.zeros((capacity, act_dim), np.float32),
            "rew": np.zeros((capacity, 1), np.float32), "nxt": np.zeros((capacity, obs_dim), np.float32),
            "mask": np.zeros((capacity, 1), np.float32),
        }
        self.capacity, self.head, self.full = capacity, 0, False

    def __len__(self):
        return self.capacity if self.full else self.head

    def push(self, **row):
        for k, v in row.items():
            self.data[k][self.head] = v
        self.head += 1
        if self.head == self.capacity:
            self.head, self.full = 0, True

    def sample(self, n, rng):
        i = rng.integers(len(self), size=n)
        return [torch.from_numpy(self.data[k][i]) for k in ("obs", "act", "rew", "nxt", "mask")]


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(obs_dim, 64), nn.Linear(64, 64), nn.Linear(64, act_dim)

    def forward(self, s):
        return torch.tanh(self.l3(F.relu(self.l2(F.relu(self.l1(s))))))


class Twin(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        one = lambda: nn.Sequential(nn.Linear(obs_dim + act_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
        self.a, self.b = one(), one()

    def forward(self, s, u):
        x = torch.cat([s, u], 1)
        return self.a(x), self.b(x)


class TD3:
    def __init__(self, obs_dim, act_dim, gamma=0.95, tau=0.01, lr=1e-3, noise=0.2, noise_clip=0.5, delay=2, fault=""):
        self.actor, self.critic = Actor(obs_dim, act_dim), Twin(obs_dim, act_dim)
        self.actor_t, self.critic_t = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=lr)
        self.gamma, self.tau, self.noise, self.noise_clip, self.delay = gamma, tau, noise, noise_clip, delay
        self.fault, self.updates = fault, 0

    @torch.no_grad()
    def act(self, obs):
        return self.actor(torch.as_tensor(obs, dtype=torch.float32)[None])[0].numpy()

    def update(self, batch):
        s, u, r, s2, mask = batch
        self.updates += 1
        with torch.no_grad():
            eps = (torch.randn_like(u) * self.noise).clamp(-self.noise_clip, self.noise_clip)
            u2 = (self.actor_t(s2) + eps).clamp(-1, 1)
            y = r + self.gamma * mask * torch.min(*self.critic_t(s2, u2))
        qa, qb = self.critic(s, u)
        critic_loss = F.mse_loss(qa, y) + F.mse_loss(qb, y)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()
        out = {"critic_loss": critic_loss.item(), "q": qa.mean().item()}
        if self.updates % self.delay == 0:
            proposal = self.actor(s)
            if self.fault == "f04":
                proposal = proposal.detach()
            actor_loss = -self.critic(s, proposal)[0].mean()
            self.actor_opt.zero_grad()
            actor_loss.backward()
            self.actor_opt.step()
            self.track(self.actor, self.actor_t)
            if self.fault != "f05":
                self.track(self.critic, self.critic_t)
            out["actor_loss"] = actor_loss.item()
        return out

    def track(self, net, target):
        with torch.no_grad():
            for p, q in zip(net.parameters(), target.parameters()):
                q.lerp_(p, self.tau)


def evaluate(agent, fault, episodes=10):
    env = PuckReach(fault=fault)
    total, wins = 0.0, 0
    for k in range(episodes):
        obs, _ = env.reset(seed=9000 + k)
        over = False
        while not over:
            obs, reward, terminated, truncated, info = env.step(agent.act(obs))
            total += reward
            over = terminated or truncated
        wins += info["success"]
    return total / episodes, wins / episodes


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=5_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="")
    ap.add_argument("--explore", type=float, default=0.2)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--warmup", type=int, default=300)
    a = ap.parse_args(argv)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)

    env = PuckReach(fault=a.fault)
    agent = TD3(6, 2, fault=a.fault)
    replay = Replay(50_000, 6, 2)
    obs, _ = env.reset(seed=a.seed)
    info, ep_return, finished = {}, 0.0, []
    for step in range(1, a.steps + 1):
        if step <= a.warmup:
            act = rng.uniform(-1, 1, 2)
        else:
            source = np.random.default_rng(a.seed) if a.fault == "f06" else rng
            act = np.clip(agent.act(obs) + source.normal(0, a.explore, 2), -1, 1)
        nxt, reward, terminated, truncated, _ = env.step(act)
        replay.push(obs=obs, act=act, rew=reward, nxt=nxt, mask=1.0 - terminated)
        ep_return += reward
        obs = nxt
        if terminated or truncated:
            finished.append(ep_return)
            ep_return = 0.0
            obs, _ = env.reset()
        if step > a.warmup:
            info.update(agent.update(replay.sample(a.batch, rng)))
        if step % 500 == 0:
            ret, rate = evaluate(agent, a.fault)
            row = {"step": step, "train/return": round(float(np.mean(finished[-10:])), 3), "eval/return": round(ret, 3),
                   "eval/success_rate": rate, **{f"train/{k}": round(v, 5) for k, v in info.items()}}
            print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
