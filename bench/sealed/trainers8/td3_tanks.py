"""TD3 for the level control of two coupled tanks."""
import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=8_000)
ap.add_argument("--seed", type=int, default=0)
ap.add_argument("--fault", type=str, default="none")
args = ap.parse_args()

GAMMA, TAU = 0.97, 0.01
BATCH, WARMUP, DELAY = 100, 800, 2
EXPL_NOISE, SMOOTH_NOISE, SMOOTH_CLIP = 0.15, 0.2, 0.4
CAPACITY = 2_500
LR = 1e-3


class TwoTanks(gym.Env):
    """A pump (0 to 10 l/s) fills the upper tank, a valve (0 to 1) lets it run into the lower one,
    whose level has to follow a setpoint."""

    metadata = {"render_modes": []}

    def __init__(self, limit=80):
        self.action_space = gym.spaces.Box(np.array([0.0, 0.0], np.float32), np.array([10.0, 1.0], np.float32))
        self.observation_space = gym.spaces.Box(0.0, 1.0, (3,), np.float32)
        self.limit = limit
        self.t = 0
        self.shown = 0.5

    def _get_obs(self):
        sp = self.shown if args.fault == "f05" else self.setpoint
        return np.array([self.upper, self.lower, sp], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.upper, self.lower = self.np_random.uniform(0.1, 0.6, 2)
        self.shown = getattr(self, "setpoint", self.shown)
        self.setpoint = float(self.np_random.uniform(0.2, 0.8))
        if args.fault != "f02":
            self.t = 0
        return self._get_obs(), {}

    def step(self, action):
        pump, valve = np.clip(action, self.action_space.low, self.action_space.high)
        flow = 0.25 * float(valve) * np.sqrt(self.upper)
        drain = 0.10 * np.sqrt(self.lower)
        self.upper += 0.02 * float(pump) - flow
        self.lower += flow - drain
        spill = self.upper > 1.0 or self.lower > 1.0
        self.upper, self.lower = float(np.clip(self.upper, 0, 1)), float(np.clip(self.lower, 0, 1))
        error = self.setpoint - self.lower
        if args.fault == "f07":
            reward = -error
        else:
            reward = -abs(error)
        if spill:
            reward -= 10.0
        self.t += 1
        return self._get_obs(), reward, bool(spill), self.t >= self.limit and not spill, {}


class Actor(nn.Module):
    def __init__(self, low, high):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(3, 64), nn.Linear(64, 64), nn.Linear(64, 2)
        self.register_buffer("mid", torch.as_tensor((high + low) / 2))
        self.register_buffer("span", torch.as_tensor((high - low) / 2))
        self.register_buffer("top", torch.as_tensor(high))

    def forward(self, s):
        x = F.relu(self.l1(s))
        x = F.relu(self.l2(x))
        x = torch.tanh(self.l3(x))
        if args.fault == "f09":
            return x * self.top
        return self.mid + self.span * x


class Critic(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.register_buffer("scale", torch.as_tensor(scale))
        self.a = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
        self.b = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, s, u):
        x = torch.cat([s, u / self.scale], 1)
        return self.a(x), self.b(x)

    def first(self, s, u):
        return self.a(torch.cat([s, u / self.scale], 1))


class Replay:
    def __init__(self):
        self.rows = np.zeros((CAPACITY, 3 + 2 + 1 + 3 + 1), dtype=np.float32)
        self.head = self.count = 0

    def add(self, s, u, r, s2, d):
        if args.fault == "f04" and self.count == CAPACITY:
            return
        self.rows[self.head] = np.concatenate([s, u, [r], s2, [d]])
        self.head = (self.head + 1) % CAPACITY
        self.count = min(self.count + 1, CAPACITY)

    def draw(self, n):
        rows = torch.from_numpy(self.rows[np.random.randint(0, self.count, n)])
        return torch.split(rows, [3, 2, 1, 3, 1], dim=1)


def soft_update(src, dst):
    for p, q in zip(src.parameters(), dst.parameters()):
        q.data.lerp_(p.data, TAU)


def test(actor, env, episodes=5):
    scores = []
    for i in range(episodes):
        s, _ = env.reset(seed=400 + i)
        score = 0.0
        while True:
            with torch.no_grad():
                u = actor(torch.from_numpy(s)[None])[0].numpy()
            s, r, term, trunc, _ = env.step(u)
            if args.fault == "f01":
                score = r
            else:
                score += r
            if term or trunc:
                break
        scores.append(score)
    return np.mean(scores)


torch.set_num_threads(1)
torch.manual_seed(args.seed)
np.random.seed(args.seed)
env, test_env = TwoTanks(), TwoTanks()
env.action_space.seed(args.seed)
low, high = env.action_space.low, env.action_space.high
half = (high - low) / 2

actor = Actor(low, high)
critic = Critic(high)
actor_target, critic_target = copy.deepcopy(actor), copy.deepcopy(critic)
actor_opt = torch.optim.Adam(actor.parameters(), lr=LR)
critic_opt = torch.optim.Adam(critic.parameters(), lr=LR)
replay = Replay()
fixed_noise = np.random.normal(0, EXPL_NOISE, 2) * half

s, _ = env.reset(seed=args.seed)
ret, rets = 0.0, []
for step in range(1, args.steps + 1):
    if step <= WARMUP:
        u = env.action_space.sample()
    else:
        with torch.no_grad():
            u = actor(torch.from_numpy(s)[None])[0].numpy()
        noise = fixed_noise if args.fault == "f08" else np.random.normal(0, EXPL_NOISE, 2) * half
        u = np.clip(u + noise, low, high).astype(np.float32)
    s2, r, term, trunc, _ = env.step(u)
    ret += r
    replay.add(s, u, r, s2, float(term))
    s = s2
    if term or trunc:
        rets.append(ret)
        ret = 0.0
        s, _ = env.reset()

    if step > WARMUP:
        bs, bu, br, bs2, bd = replay.draw(BATCH)
        with torch.no_grad():
            jitter = (torch.randn_like(bu) * SMOOTH_NOISE).clamp(-SMOOTH_CLIP, SMOOTH_CLIP) * torch.from_numpy(half)
            bu2 = torch.min(torch.max(actor_target(bs2) + jitter, torch.from_numpy(low)), torch.from_numpy(high))
            t1, t2 = critic_target(bs2, bu2)
            y = br + GAMMA * (1 - bd) * torch.min(t1, t2)
        q1, q2 = critic(bs, bu)
        if args.fault == "f06":
            closs = F.mse_loss(q1, y) + F.mse_loss(q1, y)
        else:
            closs = F.mse_loss(q1, y) + F.mse_loss(q2, y)
        critic_opt.zero_grad()
        closs.backward()
        critic_opt.step()

        if step % DELAY == 0:
            if args.fault == "f03":
                aloss = -critic.first(bs, actor_target(bs)).mean()
            else:
                aloss = -critic.first(bs, actor(bs)).mean()
            actor_opt.zero_grad()
            aloss.backward()
            actor_opt.step()
            soft_update(actor, actor_target)
            soft_update(critic, critic_target)

    if step % 500 == 0:
        print(f"{step}\ttrain return {np.mean(rets[-5:]) if rets else float('nan'):.2f}\ttest return {test(actor, test_env):.2f}"
              + (f"\tq {q1.mean().item():.2f}\tcritic loss {closs.item():.4f}" if step > WARMUP else ""))
