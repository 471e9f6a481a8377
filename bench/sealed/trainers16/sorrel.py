"""TD3 holding a small drone over its pad in gusts."""
import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument("--steps", type=int, default=9000)
p.add_argument("--seed", type=int, default=0)
p.add_argument("--fault", default="")
args = p.parse_args()
FAULT = args.fault


class Drone(gym.Env):
    """Two-dimensional point mass: lift in [0, 1] against gravity, and a sideways push in [-1, 1]."""

    HORIZON = 100
    DT = 0.1

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.Box(np.array([0, -1], np.float32), np.array([1, 1], np.float32))
        self.count = 0

    def _obs(self):
        return np.concatenate([self.x, self.v]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.uniform(-1.5, 1.5, 2)
        self.v = self.np_random.uniform(-0.3, 0.3, 2)
        if FAULT != "f05":
            self.count = 0
        return self._obs(), {}

    def step(self, action):
        lift, push = np.clip(action, self.action_space.low, self.action_space.high)
        gust = self.np_random.normal(0, 0.2, 2)
        acc = np.array([1.5 * push, 3.0 * lift - 1.2]) + gust - 0.1 * self.v
        self.v = self.v + self.DT * acc
        self.x = self.x + self.DT * self.v
        self.count += 1
        out = bool(np.abs(self.x).max() > 3.0)
        reward = 1.0 - 0.5 * np.linalg.norm(self.x) - 0.05 * np.linalg.norm(self.v)
        if out:
            reward -= 5.0
        return self._obs(), float(reward), out, (not out) and self.count >= self.HORIZON, {}


class Actor(nn.Module):
    def __init__(self, s, a):
        super().__init__()
        self.l1 = nn.Linear(s, 64)
        self.l2 = nn.Linear(64, 64)
        self.l3 = nn.Linear(64, a)

    def forward(self, s):
        x = F.relu(self.l1(s))
        x = F.relu(self.l2(x))
        return torch.tanh(self.l3(x))


class Critic(nn.Module):
    def __init__(self, s, a):
        super().__init__()
        self.a = nn.Sequential(nn.Linear(s + a, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
        self.b = nn.Sequential(nn.Linear(s + a, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, s, u):
        su = torch.cat([s, u], 1)
        return self.a(su), self.b(su)

    def first(self, s, u):
        return self.a(torch.cat([s, u], 1))


class Buffer:
    def __init__(self, s, a, cap=50000):
        self.cap, self.i, self.n = cap, 0, 0
        self.s, self.u = np.zeros((cap, s), np.float32), np.zeros((cap, a), np.float32)
        self.s2 = np.zeros((cap, s), np.float32)
        self.r, self.cont = np.zeros((cap, 1), np.float32), np.zeros((cap, 1), np.float32)

    def put(self, s, u, r, s2, end):
        i = self.i
        self.s[i], self.u[i], self.r[i], self.s2[i], self.cont[i] = s, u, r, s2, 1.0 - end
        self.i = (i + 1) % self.cap
        self.n = min(self.n + 1, self.cap)

    def get(self, k):
        j = np.random.randint(0, self.n, size=k)
        return tuple(torch.from_numpy(z[j]) for z in (self.s, self.u, self.r, self.s2, self.cont))


class TD3:
    gamma, tau, batch = 0.97, 0.01, 128
    smooth, smooth_clip, delay = 0.2, 0.5, 2

    def __init__(self, s, a):
        self.actor, self.critic = Actor(s, a), Critic(s, a)
        self.actor_t, self.critic_t = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.opt_a = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.opt_c = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.it = 0
        self.stats = {}

    def select(self, s):
        with torch.no_grad():
            return self.actor(torch.from_numpy(s).view(1, -1)).numpy().ravel()

    def train(self, buffer):
        self.it += 1
        s, u, r, s2, cont = buffer.get(self.batch)
        with torch.no_grad():
            noise = (torch.randn_like(u) * self.smooth).clamp(-self.smooth_clip, self.smooth_clip)
            u2 = (self.actor_t(s2) + noise).clamp(-1, 1)
            q_a, q_b = self.critic_t(s2, u2)
            y = r + self.gamma * cont * torch.min(q_a, q_b)
        q_a, q_b = self.critic(s, u)
        critic_loss = F.mse_loss(q_a, y) + F.mse_loss(q_b, y)
        if FAULT != "f02":
            self.opt_c.zero_grad()
        critic_loss.backward()
        self.opt_c.step()
        if FAULT == "f02":
            self.opt_c.zero_grad()
        self.stats["critic"], self.stats["q"] = critic_loss.item(), q_a.mean().item()

        if self.it % self.delay == 0:
            actor_loss = -self.critic.first(s, self.actor(s)).mean()
            self.opt_a.zero_grad()
            actor_loss.backward()
            self.opt_a.step()
            with torch.no_grad():
                for net, tgt in ((self.actor, self.actor_t), (self.critic, self.critic_t)):
                    for w, wt in zip(net.parameters(), tgt.parameters()):
                        wt.lerp_(w, self.tau)


def to_bounds(u, space):
    """From [-1, 1] to the bounds of the action space."""
    span = space.high - space.low
    if FAULT == "f03":
        return space.low + (u + 1.0) * span
    return space.low + 0.5 * (u + 1.0) * span


def evaluate(agent, episodes=10):
    env = Drone()
    total = 0.0
    for k in range(episodes):
        env.count = 0
        s, _ = env.reset(seed=300 + k)
        while True:
            s, r, term, trunc, _ = env.step(to_bounds(agent.select(s), env.action_space))
            total += r
            if term or trunc:
                break
    return total / episodes


def noise_like(u):
    return np.random.rand(*u.shape) if FAULT == "f04" else np.random.randn(*u.shape)


def run():
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    env = Drone()
    env.action_space.seed(args.seed)
    dim_s, dim_a = env.observation_space.shape[0], env.action_space.shape[0]
    agent, buffer = TD3(dim_s, dim_a), Buffer(dim_s, dim_a)
    s, _ = env.reset(seed=args.seed)
    ret, rets = 0.0, []
    for t in range(1, args.steps + 1):
        if t <= 1000:
            u = np.random.uniform(-1, 1, dim_a)
        else:
            u = agent.select(s)
            u = np.clip(u + 0.2 * noise_like(u), -1, 1)
        s2, r, term, trunc, _ = env.step(to_bounds(u, env.action_space))
        end = (term or trunc) if FAULT == "f01" else term
        buffer.put(s, u, r, s2, float(end))
        s, ret = s2, ret + r
        if term or trunc:
            rets.append(ret)
            s, _ = env.reset()
            ret = 0.0
        if t > 1000:
            agent.train(buffer)
        if t % 1500 == 0:
            print(f"T {t:6d} | train return {np.mean(rets[-10:]):7.2f} | eval {evaluate(agent):7.2f} | "
                  f"critic loss {agent.stats['critic']:.3f} | q {agent.stats['q']:.2f}", flush=True)


if __name__ == "__main__":
    run()
