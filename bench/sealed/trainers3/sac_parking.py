"""Soft actor-critic with a learned temperature: a small car drives to a parking spot.

Nothing is logged; the script says at the end what the policy earned before and after training.
"""
import argparse
import random
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Parking(gym.Env):
    """State: place and heading of the car and the spot. Action: speed from 0 to 1 and turn rate from -1.5 to 1.5."""

    def __init__(self, fault="none", radius=0.4, limit=60):
        self.fault, self.radius, self.limit = fault, radius, limit
        self.action_space = gym.spaces.Box(np.array([0.0, -1.5], np.float32), np.array([1.0, 1.5], np.float32))
        self.observation_space = gym.spaces.Box(-10.0, 10.0, (4,), np.float32)
        self.clock = 0

    def _observe(self):
        gap = self.spot - self.car
        c, s = np.cos(self.heading), np.sin(self.heading)
        ahead, left = c * gap[0] + s * gap[1], -s * gap[0] + c * gap[1]
        far = np.hypot(ahead, left)
        return np.array([ahead / 3, left / 3, ahead / (far + 1e-6), left / (far + 1e-6)], np.float32).clip(-10, 10)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.fault != "f04":
            self.clock = 0
        self.car = np.zeros(2)
        self.heading = self.np_random.uniform(-np.pi, np.pi)
        angle, far = self.np_random.uniform(-np.pi, np.pi), self.np_random.uniform(1.5, 4.0)
        self.spot = far * np.array([np.cos(angle), np.sin(angle)])
        self.before = far
        return self._observe(), {}

    def step(self, action):
        speed, turn = np.clip(action, self.action_space.low, self.action_space.high).astype(float)
        self.heading += 0.4 * turn
        self.car = self.car + 0.3 * speed * np.array([np.cos(self.heading), np.sin(self.heading)])
        self.clock += 1
        far = float(np.linalg.norm(self.spot - self.car))
        if self.fault == "f01":
            self.before = far
        reward = 2.0 * (self.before - far) - 0.1
        self.before = far
        parked = far < self.radius
        if parked:
            reward += 5.0
        return self._observe(), reward, parked, self.clock >= self.limit, {}


class Policy(nn.Module):
    def __init__(self, space, fault, n_obs=4, hidden=64):
        super().__init__()
        self.fault = fault
        self.net = nn.Sequential(nn.Linear(n_obs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mean, self.log_std = nn.Linear(hidden, 2), nn.Linear(hidden, 2)
        self.register_buffer("low", torch.tensor(space.low))
        self.register_buffer("high", torch.tensor(space.high))

    def to_env(self, squashed):
        if self.fault == "f08":
            return self.low[0] + 0.5 * (squashed + 1.0) * (self.high[0] - self.low[0])
        return self.low + 0.5 * (squashed + 1.0) * (self.high - self.low)

    def forward(self, obs):
        h = self.net(obs)
        return self.mean(h), self.log_std(h).clamp(-5, 2)

    def sample(self, obs):
        mean, log_std = self(obs)
        gauss = torch.distributions.Normal(mean, log_std.exp())
        raw = gauss.rsample()
        logp = gauss.log_prob(raw)
        if self.fault != "f02":
            logp = logp - 2.0 * (np.log(2.0) - raw - F.softplus(-2.0 * raw))
        return torch.tanh(raw), logp.sum(-1)

    @torch.no_grad()
    def act(self, obs, deterministic=False):
        obs = torch.as_tensor(obs).unsqueeze(0)
        squashed = torch.tanh(self(obs)[0]) if deterministic else self.sample(obs)[0]
        return squashed[0].numpy(), self.to_env(squashed)[0].numpy()


def q_net(hidden=64):
    return nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1), nn.Flatten(0))


class SAC:
    def __init__(self, cfg, env):
        self.cfg = cfg
        self.pi = Policy(env.action_space, cfg.fault)
        self.q1, self.q2, self.t1, self.t2 = q_net(), q_net(), q_net(), q_net()
        self.t1.load_state_dict(self.q1.state_dict())
        self.t2.load_state_dict(self.q2.state_dict())
        self.log_alpha = torch.tensor(np.log(0.2), dtype=torch.float32, requires_grad=True)
        self.target_entropy = 2.0 if cfg.fault == "f10" else -2.0
        self.pi_opt = torch.optim.Adam(self.pi.parameters(), lr=1e-6 if cfg.fault == "f06" else 1e-3)
        self.q_opt = torch.optim.Adam([*self.q1.parameters(), *self.q2.parameters()], lr=1e-3)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=1e-3)

    def update(self, batch):
        obs, act, rew, nxt, end = batch
        cfg = self.cfg
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            a2, lp2 = self.pi.sample(nxt)
            x2 = torch.cat([nxt, a2], 1)
            y = rew + cfg.gamma * (1 - end) * (torch.min(self.t1(x2), self.t2(x2)) - alpha * lp2)
        x = torch.cat([obs, act], 1)
        p1 = self.q1(x)
        p2 = self.q1(x) if cfg.fault == "f09" else self.q2(x)
        loss_q = F.mse_loss(p1, y) + F.mse_loss(p2, y)
        self.q_opt.zero_grad()
        loss_q.backward()
        self.q_opt.step()

        a, lp = self.pi.sample(obs)
        xa = torch.cat([obs, a], 1)
        loss_pi = (alpha * lp - torch.min(self.q1(xa), self.q2(xa))).mean()
        self.pi_opt.zero_grad()
        loss_pi.backward()
        self.pi_opt.step()

        loss_alpha = -(self.log_alpha * (lp.detach() + self.target_entropy)).mean()
        self.alpha_opt.zero_grad()
        loss_alpha.backward()
        self.alpha_opt.step()

        with torch.no_grad():
            for net, tgt in ((self.q1, self.t1), (self.q2, self.t2)):
                for p, q in zip(net.parameters(), tgt.parameters()):
                    q.lerp_(p, cfg.tau)


def judge(pi, cfg, episodes=20):
    env = Parking(cfg.fault, radius=2.0) if cfg.fault == "f05" else Parking(cfg.fault)
    earned = 0.0
    for k in range(episodes):
        obs, _ = env.reset(seed=2_000_000 + 500 * cfg.seed + k)
        over = False
        while not over:
            obs, r, terminated, truncated, _ = env.step(pi.act(obs, deterministic=True)[1])
            earned += r
            over = terminated or truncated
    return earned / episodes


def train(cfg):
    torch.set_num_threads(1)
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    env = Parking(cfg.fault)
    agent = SAC(cfg, env)
    before = judge(agent.pi, cfg)
    rows = []
    obs, _ = env.reset(seed=cfg.seed)
    for t in range(cfg.steps):
        if t < cfg.warmup:
            squashed = rng.uniform(-1, 1, 2).astype(np.float32)
            action = agent.pi.to_env(torch.from_numpy(squashed)).numpy()
        else:
            squashed, action = agent.pi.act(obs)
        if cfg.fault == "f07":
            nxt, reward, truncated, terminated, _ = env.step(action)
        else:
            nxt, reward, terminated, truncated, _ = env.step(action)
        if cfg.fault == "f03":
            obs = nxt
        rows.append((obs, squashed, np.float32(reward), nxt, np.float32(terminated)))
        obs = nxt
        if terminated or truncated:
            obs, _ = env.reset()
        if t >= cfg.warmup:
            pick = rng.integers(0, len(rows), cfg.batch)
            agent.update([torch.from_numpy(np.stack(col)) for col in zip(*(rows[i] for i in pick))])
    after = judge(agent.pi, cfg)
    print(f"earned {before:.2f} before and {after:.2f} after {cfg.steps} steps (alpha {agent.log_alpha.exp().item():.3f})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--fault", default="none")
    given = parser.parse_args()
    train(SimpleNamespace(seed=given.seed, steps=given.steps, fault=given.fault, gamma=0.97, tau=0.01, batch=64, warmup=500))
