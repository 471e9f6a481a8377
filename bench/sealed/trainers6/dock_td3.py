"""TD3 for a small craft that has to dock: own environment, agent class, main loop."""
import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from gymnasium import spaces


class DockEnv(gym.Env):
    """A craft with two thrusters in the plane. It starts somewhere and has to come to rest at the dock."""

    metadata = {"render_modes": []}

    def __init__(self, fault=None, max_steps=80):
        self.fault = fault
        self.max_steps = max_steps
        self.dt = 0.2
        self.observation_space = spaces.Box(-10.0, 10.0, (6,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _observe(self):
        obs = np.concatenate([self.dock - self.pos, self.vel, self.pos]).astype(np.float32)
        return np.clip(obs, -10.0, 10.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(-2.0, 2.0, 2)
        self.dock = self.np_random.uniform(-2.0, 2.0, 2)
        self.vel = np.zeros(2)
        self.steps = 0
        return self._observe(), {}

    def step(self, action):
        action = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        if self.fault == "f01":
            self.vel = 0.9 * self.vel + self.dt * 2.0 * action[0]
        else:
            self.vel = 0.9 * self.vel + self.dt * 2.0 * action
        self.pos = np.clip(self.pos + self.dt * self.vel, -4.0, 4.0)
        self.steps += 1
        gap = float(np.linalg.norm(self.dock - self.pos))
        speed = float(np.linalg.norm(self.vel))
        reward = -0.2 * gap - 0.02 * float(np.square(action).sum())
        terminated = gap < 0.25 and speed < 0.6
        if terminated:
            reward += 5.0
        truncated = self.steps >= self.max_steps and not terminated
        if self.fault == "f02" and self.steps >= self.max_steps:
            terminated, truncated = True, False
        return self._observe(), reward, terminated, truncated, {}


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim, fault):
        super().__init__()
        self.l1 = nn.Linear(obs_dim, 64)
        self.l2 = nn.Linear(64, 64)
        self.l3 = nn.Linear(64, act_dim)
        self.fault = fault

    def forward(self, x):
        x = F.relu(self.l1(x))
        x = F.relu(self.l2(x))
        if self.fault == "f04":
            return torch.sigmoid(self.l3(x))
        return torch.tanh(self.l3(x))


class Critic(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.q1 = nn.Sequential(nn.Linear(obs_dim + act_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
        self.q2 = nn.Sequential(nn.Linear(obs_dim + act_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, obs, act):
        x = torch.cat([obs, act], 1)
        return self.q1(x), self.q2(x)

    def first(self, obs, act):
        return self.q1(torch.cat([obs, act], 1))


class ReplayBuffer:
    def __init__(self, obs_dim, act_dim, fault, size=100_000):
        self.data = {
            "obs": np.zeros((size, obs_dim), np.float32),
            "act": np.zeros((size, act_dim), np.float32),
            "rew": np.zeros((size, 1), np.float32),
            "next": np.zeros((size, obs_dim), np.float32),
            "term": np.zeros((size, 1), np.float32),
        }
        self.limit, self.n, self.i, self.fault = size, 0, 0, fault

    def add(self, **row):
        for key, value in row.items():
            self.data[key][self.i] = value
        self.i = (self.i + 1) % self.limit
        self.n = min(self.n + 1, self.limit)

    def sample(self, size):
        if self.fault == "f09":
            return {k: torch.from_numpy(v[np.random.randint(0, self.n, size)]) for k, v in self.data.items()}
        idx = np.random.randint(0, self.n, size)
        return {k: torch.from_numpy(v[idx]) for k, v in self.data.items()}


class TD3:
    gamma, tau = 0.98, 0.01
    policy_noise, noise_clip, policy_delay = 0.2, 0.5, 2
    explore_std = 0.2
    batch_size = 128

    def __init__(self, obs_dim, act_dim, seed, fault):
        self.fault, self.seed, self.act_dim = fault, seed, act_dim
        self.actor = Actor(obs_dim, act_dim, fault)
        self.critic = Critic(obs_dim, act_dim)
        self.actor_target = copy.deepcopy(self.actor)
        self.critic_target = copy.deepcopy(self.critic)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-1 if fault == "f10" else 1e-3)
        self.buffer = ReplayBuffer(obs_dim, act_dim, fault)
        self.rng = np.random.default_rng(seed)
        self.it = 0

    def select_action(self, obs, noise=True):
        with torch.no_grad():
            a = self.actor(torch.from_numpy(obs).unsqueeze(0)).numpy()[0]
        if noise:
            rng = np.random.default_rng(self.seed) if self.fault == "f05" else self.rng
            a = a + rng.normal(0.0, self.explore_std, self.act_dim)
        return np.clip(a, -1.0, 1.0).astype(np.float32)

    def train_step(self):
        self.it += 1
        b = self.buffer.sample(self.batch_size)
        with torch.no_grad():
            s2 = b["obs"] if self.fault == "f08" else b["next"]
            noise = (torch.randn_like(b["act"]) * self.policy_noise).clamp(-self.noise_clip, self.noise_clip)
            a2 = (self.actor_target(s2) + noise).clamp(-1.0, 1.0)
            t1, t2 = self.critic_target(s2, a2)
            target = b["rew"] + self.gamma * (1 - b["term"]) * torch.min(t1, t2)
        q1, q2 = self.critic(b["obs"], b["act"])
        if self.fault == "f06":
            critic_loss = F.mse_loss(q1, target)
        else:
            critic_loss = F.mse_loss(q1, target) + F.mse_loss(q2, target)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        if self.it % self.policy_delay == 0:
            if self.fault == "f07":
                actor_loss = -self.critic.first(b["obs"], b["act"]).mean()
            else:
                actor_loss = -self.critic.first(b["obs"], self.actor(b["obs"])).mean()
            self.actor_opt.zero_grad()
            actor_loss.backward()
            self.actor_opt.step()
            with torch.no_grad():
                for net, targ in ((self.actor, self.actor_target), (self.critic, self.critic_target)):
                    for p, pt in zip(net.parameters(), targ.parameters()):
                        pt.lerp_(p, self.tau)
        return critic_loss.item()


def preprocess(obs, fault):
    if fault == "f03":
        return ((obs - obs.mean()) / (obs.std() + 1e-6)).astype(np.float32)
    return (obs / 2.0).astype(np.float32)


def evaluate(agent, fault, episodes=10):
    env = DockEnv(fault)
    scores, docked = [], 0
    for k in range(episodes):
        obs, _ = env.reset(seed=31_000 + k)
        over, score = False, 0.0
        while not over:
            obs, r, terminated, truncated, _ = env.step(agent.select_action(preprocess(obs, fault), noise=False))
            score += r
            over = terminated or truncated
        docked += r > 3.0
        scores.append(score)
    return np.mean(scores), docked / episodes


def main(args):
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    env = DockEnv(args.fault)
    env.action_space.seed(args.seed)
    agent = TD3(6, 2, args.seed, args.fault)
    raw, _ = env.reset(seed=args.seed)
    obs = preprocess(raw, args.fault)
    score, scores, loss = 0.0, [], 0.0
    for t in range(1, args.steps + 1):
        action = env.action_space.sample() if t <= 800 else agent.select_action(obs)
        raw, reward, terminated, truncated, _ = env.step(action)
        next_obs = preprocess(raw, args.fault)
        agent.buffer.add(obs=obs, act=action, rew=reward, next=next_obs, term=terminated)
        score += reward
        obs = next_obs
        if terminated or truncated:
            scores.append(score)
            score = 0.0
            raw, _ = env.reset()
            obs = preprocess(raw, args.fault)
        if t > 800:
            loss = agent.train_step()
        if t % 1000 == 0:
            mean, rate = evaluate(agent, args.fault)
            print(f"T {t:6d} | train {np.mean(scores[-20:]):7.2f} | eval {mean:7.2f} docked {rate:.1f} | critic loss {loss:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", type=str, default=None)
    main(parser.parse_args())
