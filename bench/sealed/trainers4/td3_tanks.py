"""TD3 for two coupled tanks: keep both levels at their set points with two pumps."""
import argparse
from copy import deepcopy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from gymnasium.wrappers import TimeLimit


class Tanks(gym.Env):
    """State: level 1, level 2, set point 1, set point 2. Tank 1 drains into tank 2. An overflow ends the episode."""

    TOP = 2.0

    def __init__(self, fault="none"):
        self.action_space = gym.spaces.Box(0.0, 1.0, (2,), np.float32)
        self.observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float32)
        self.fault = fault

    def look(self):
        if self.fault == "f01":
            return self.view
        return self.view.copy()

    def refresh(self):
        scaled = self.state / self.TOP
        if self.fault == "f02":
            scaled = self.state
        self.view[:] = np.clip(scaled, 0.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        levels = self.np_random.uniform(0.2, 1.6, 2)
        goals = self.np_random.uniform(0.6, 1.4, 2)
        self.state = np.concatenate([levels, goals])
        self.view = np.zeros(4, dtype=np.float32)
        self.refresh()
        return self.look(), {}

    def step(self, action):
        u = np.clip(action, 0.0, 1.0)
        h1, h2, g1, g2 = self.state
        flow = 0.25 * np.sqrt(max(h1, 0.0))
        drain = 0.45 * np.sqrt(max(h2, 0.0))
        h1 = max(0.0, h1 + 0.3 * (0.8 * u[0] - flow))
        h2 = max(0.0, h2 + 0.3 * (0.8 * u[1] + flow - drain))
        self.state[:2] = h1, h2
        self.refresh()
        reward = -(abs(h1 - g1) + abs(h2 - g2))
        overflow = bool(max(h1, h2) > self.TOP)
        if overflow:
            penalty = -10.0
            if self.fault == "f04":
                penalty = -penalty
            reward += penalty
        return self.look(), float(reward), overflow, False, {}


def build(sizes, last=None):
    mods = []
    for i in range(len(sizes) - 1):
        mods.append(nn.Linear(sizes[i], sizes[i + 1]))
        if i < len(sizes) - 2:
            mods.append(nn.ReLU())
    if last is not None:
        mods.append(last)
    return nn.Sequential(*mods)


class Ring:
    def __init__(self, capacity):
        self.capacity, self.rows, self.cursor = capacity, [], 0

    def append(self, *row):
        if len(self.rows) < self.capacity:
            self.rows.append(row)
        else:
            self.rows[self.cursor] = row
        self.cursor = (self.cursor + 1) % self.capacity

    def sample(self, n, rng):
        picks = [self.rows[i] for i in rng.integers(len(self.rows), size=n)]
        return tuple(torch.as_tensor(np.array(col, dtype=np.float32)) for col in zip(*picks))


class TD3:
    def __init__(self, args, rng):
        self.fault, self.rng = args.fault, rng
        self.actor = build([4, 64, 64, 2], nn.Tanh())
        self.q1, self.q2 = build([6, 64, 64, 1]), build([6, 64, 64, 1])
        self.actor_t, self.q1_t, self.q2_t = map(deepcopy, (self.actor, self.q1, self.q2))
        self.pi_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.q_opt = torch.optim.Adam([*self.q1.parameters(), *self.q2.parameters()], lr=1e-3)
        self.gamma, self.tau = 0.97, 0.01
        self.smooth, self.smooth_clip, self.delay = 0.2, 0.5, 2
        self.calls = 0

    @torch.no_grad()
    def act(self, obs, noise=0.0):
        a = self.actor(torch.as_tensor(obs)).numpy()
        a = a + noise * self.rng.standard_normal(2)
        return np.clip(a, -1, 1).astype(np.float32)

    def bootstrap(self, r, s2, term):
        eps = (self.smooth * torch.randn(len(s2), 2)).clamp(-self.smooth_clip, self.smooth_clip)
        a2 = (self.actor_t(s2) + eps).clamp(-1, 1)
        x = torch.cat([s2, a2], 1)
        if self.fault == "f06":
            low = torch.min(self.q1(x), self.q2(x)).squeeze(1)
            return r + self.gamma * (1 - term) * low
        low = torch.min(self.q1_t(x), self.q2_t(x)).squeeze(1)
        return (r + self.gamma * (1 - term) * low).detach()

    def update(self, ring, batch=100):
        s, a, r, s2, term = ring.sample(batch, self.rng)
        y = self.bootstrap(r, s2, term)
        x = torch.cat([s, a], 1)
        v1, v2 = self.q1(x).squeeze(1), self.q2(x).squeeze(1)
        if self.fault == "f07":
            v1, v2 = self.q1(x), self.q2(x)
        q_loss = ((v1 - y) ** 2).mean() + ((v2 - y) ** 2).mean()
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()
        self.calls += 1
        if self.calls % self.delay == 0:
            act = self.actor(s)
            if self.fault == "f08":
                act = act.detach()
            pi_loss = -self.q1(torch.cat([s, act], 1)).mean()
            self.pi_opt.zero_grad()
            pi_loss.backward()
            self.pi_opt.step()
            for net, slow in ((self.actor, self.actor_t), (self.q1, self.q1_t), (self.q2, self.q2_t)):
                for p, q in zip(net.parameters(), slow.parameters()):
                    q.data.lerp_(p.data, self.tau)
        return float(q_loss)


def to_pump(action, fault):
    """From the (-1, 1) of the network to the (0, 1) of a pump."""
    if fault == "f03":
        return (action + 1.0) // 2.0
    return (action + 1.0) / 2.0


def score(agent, env, fault, episodes=5):
    results = []
    for k in range(episodes):
        obs, _ = env.reset(seed=600 + k)
        ret, stop = 0.0, False
        while not stop:
            obs, r, term, trunc, _ = env.step(to_pump(agent.act(obs), fault))
            if fault == "f10":
                ret = r
            else:
                ret += r
            stop = term or trunc
        results.append(ret)
    return float(np.mean(results))


def train(args):
    rng = np.random.default_rng(args.seed)
    env = TimeLimit(Tanks(args.fault), 60)
    judge = TimeLimit(Tanks(args.fault), 60)
    agent = TD3(args, rng)
    ring = Ring(128 if args.fault == "f05" else 100_000)
    warmup = 25_000 if args.fault == "f09" else 500

    obs, _ = env.reset(seed=args.seed)
    ret, rets, q_loss = 0.0, [], float("nan")
    for t in range(args.steps):
        if t < warmup:
            action = rng.uniform(-1, 1, 2).astype(np.float32)
        else:
            action = agent.act(obs, noise=0.15)
        nxt, r, term, trunc, _ = env.step(to_pump(action, args.fault))
        ring.append(obs, action, r, nxt, float(term))
        ret += r
        obs = nxt
        if term or trunc:
            rets.append(ret)
            ret = 0.0
            obs, _ = env.reset()
        if t >= warmup:
            q_loss = agent.update(ring)
        if (t + 1) % 1000 == 0:
            print(f"{t + 1:6d}  train {np.mean(rets[-10:]):8.2f}  test {score(agent, judge, args.fault):8.2f}  "
                  f"q loss {q_loss:.4f}", flush=True)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--fault", type=str, default="none")
    p.add_argument("--steps", type=int, default=6000)
    a = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    np.random.seed(a.seed)
    train(a)
