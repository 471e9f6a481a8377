"""Double DQN with prioritised replay and n-step targets on a docking task."""
from __future__ import annotations

import argparse
import copy
import random
from collections import deque
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)

OBS_SCALE = np.array([10.0, 3.0, 10.0], dtype=np.float32)


class Dock(gym.Env):
    """A cart on a rail has to come to rest at a mark. Thrust is left, none or right."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float32)
    action_space = gym.spaces.Discrete(3)
    limit = 100

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.uniform(-8, 8)
        self.v = self.np_random.uniform(-0.5, 0.5)
        self.mark = self.np_random.uniform(-6, 6)
        self.t = 0
        return self._obs(), {}

    def _obs(self):
        return np.array([self.x, self.v, self.mark], dtype=np.float32)

    def step(self, action):
        self.v = float(np.clip(self.v + 0.3 * (action - 1), -3, 3))
        self.x += 0.5 * self.v
        self.t += 1
        gap = abs(self.x - self.mark)
        docked = gap < 0.6 and abs(self.v) < 0.7
        lost = abs(self.x) > 10
        reward = -0.02 * gap - 0.02 + 5.0 * docked - 5.0 * lost
        return self._obs(), float(reward), bool(docked or lost), self.t >= self.limit, {"docked": docked}


@dataclass
class Config:
    steps: int
    seed: int
    fault: str
    gamma: float = 0.99
    n_step: int = 3
    lr: float = 1e-3
    batch: int = 64
    capacity: int = 50_000
    warmup: int = 500
    train_every: int = 4
    sync_every: int = 500
    eps_start: float = 1.0
    eps_end: float = 0.05
    eps_fraction: float = 0.4
    alpha: float = 0.5
    beta_start: float = 0.4
    eval_every: int = 5_000


class PrioritizedReplay:
    def __init__(self, capacity, obs_dim, alpha):
        self.capacity, self.alpha = capacity, alpha
        self.obs = np.zeros((capacity, obs_dim), np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), np.float32)
        self.action = np.zeros(capacity, np.int64)
        self.ret = np.zeros(capacity, np.float32)
        self.discount = np.zeros(capacity, np.float32)
        self.priority = np.zeros(capacity, np.float64)
        self.pos, self.size, self.max_priority = 0, 0, 1.0

    def add(self, obs, action, ret, next_obs, discount):
        i = self.pos
        self.obs[i], self.action[i], self.ret[i] = obs, action, ret
        self.next_obs[i], self.discount[i] = next_obs, discount
        self.priority[i] = self.max_priority ** self.alpha
        self.pos = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n, beta, rng):
        p = self.priority[:self.size]
        cdf = np.cumsum(p)
        idx = np.searchsorted(cdf, rng.random(n) * cdf[-1]).clip(0, self.size - 1)
        w = (self.size * p[idx] / cdf[-1]) ** (-beta)
        return idx, (w / w.max()).astype(np.float32)

    def update(self, idx, td):
        error = np.abs(td) + 1e-3
        self.priority[idx] = error ** self.alpha
        self.max_priority = max(self.max_priority, error.max())


class NStepQueue:
    """Turns single steps into n-step transitions."""

    def __init__(self, n, gamma, fault):
        self.n, self.gamma, self.fault = n, gamma, fault
        self.q = deque()

    def push(self, obs, action, reward, next_obs, terminated, over):
        self.q.append((obs, action, reward, next_obs, terminated))
        if over and self.fault != "f02":
            while self.q:
                yield self._merge()
                self.q.popleft()
        elif len(self.q) == self.n:
            yield self._merge()
            self.q.popleft()

    def _merge(self):
        ret, g = 0.0, 1.0
        for _, _, r, _, _ in self.q:
            ret += g * r
            g *= self.gamma
        obs, action = self.q[0][:2]
        next_obs, terminated = self.q[-1][3:]
        return obs, action, ret, next_obs, 0.0 if terminated else g


class QNetwork(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.advantage = nn.Linear(64, n_actions)
        self.value = nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        a = self.advantage(h)
        return self.value(h) + a - a.mean(1, keepdim=True)


class Agent:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.rng = np.random.default_rng(cfg.seed)
        self.online = QNetwork(3, 3)
        self.target = copy.deepcopy(self.online)
        self.shadow = copy.deepcopy(self.online)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=cfg.lr)
        self.replay = PrioritizedReplay(cfg.capacity, 3, cfg.alpha)

    def epsilon(self, step):
        horizon = max(1, int(self.cfg.eps_fraction * self.cfg.steps))
        if self.cfg.fault == "f04":
            frac = min(1, step // self.cfg.steps)
        else:
            frac = min(1.0, step / horizon)
        return self.cfg.eps_start + frac * (self.cfg.eps_end - self.cfg.eps_start)

    def act(self, obs, eps, net=None):
        if self.rng.random() < eps:
            return int(self.rng.integers(3))
        with torch.no_grad():
            return int((net or self.online)(torch.as_tensor(obs / OBS_SCALE)[None]).argmax(1))

    def learn(self, step):
        beta = self.cfg.beta_start + (1 - self.cfg.beta_start) * min(1.0, step / self.cfg.steps)
        idx, w = self.replay.sample(self.cfg.batch, beta, self.rng)
        scale = 1.0 if self.cfg.fault == "f03" else OBS_SCALE
        obs = torch.as_tensor(self.replay.obs[idx] / scale)
        next_obs = torch.as_tensor(self.replay.next_obs[idx] / scale)
        action = torch.as_tensor(self.replay.action[idx])
        with torch.no_grad():
            best = self.online(next_obs).argmax(1, keepdim=True)
            boot = self.target(next_obs).gather(1, best).squeeze(1)
            y = torch.as_tensor(self.replay.ret[idx]) + torch.as_tensor(self.replay.discount[idx]) * boot
        q = self.online(obs).gather(1, action[:, None]).squeeze(1)
        loss = (torch.as_tensor(w) * F.smooth_l1_loss(q, y, reduction="none")).mean()
        if self.cfg.fault == "f06":
            loss.backward()
            self.opt.zero_grad()
        else:
            self.opt.zero_grad()
            loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.opt.step()
        self.replay.update(idx, (y - q).detach().numpy())
        return loss.item(), q.mean().item()

    def sync(self):
        if self.cfg.fault == "f01":
            self.online.load_state_dict(self.target.state_dict())
        else:
            self.target.load_state_dict(self.online.state_dict())


def evaluate(agent, episodes=10):
    env = Dock()
    net = agent.shadow if agent.cfg.fault == "f07" else agent.online
    total = 0.0
    for k in range(episodes):
        obs, _ = env.reset(seed=777 + k)
        over = False
        while not over:
            obs, r, terminated, truncated, _ = env.step(agent.act(obs, 0.01, net))
            total += r
            over = terminated or truncated
    return total / episodes


def train(cfg: Config):
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    env = Dock()
    agent = Agent(cfg)
    queue = NStepQueue(cfg.n_step, cfg.gamma, cfg.fault)
    obs, _ = env.reset(seed=cfg.seed)
    ep_ret, history, loss, q = 0.0, deque(maxlen=30), float("nan"), float("nan")
    for step in range(1, cfg.steps + 1):
        eps = agent.epsilon(step)
        action = agent.act(obs, eps)
        next_obs, reward, terminated, truncated, _ = env.step(action)
        ep_ret += reward
        if cfg.fault == "f05":
            obs = next_obs
        for item in queue.push(obs, action, reward, next_obs, terminated, terminated or truncated):
            agent.replay.add(*item)
        obs = next_obs
        if terminated or truncated:
            history.append(ep_ret)
            ep_ret = 0.0
            obs, _ = env.reset()
        if step > cfg.warmup and step % cfg.train_every == 0:
            loss, q = agent.learn(step)
        if step % cfg.sync_every == 0:
            agent.sync()
        if step % 2_500 == 0:
            line = f"step={step} eps={eps:.3f} return={np.mean(history) if history else float('nan'):.2f} loss={loss:.4f} q_mean={q:.2f}"
            if step % cfg.eval_every == 0:
                line += f" eval={evaluate(agent):.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--fault", default="")
    a = parser.parse_args()
    train(Config(a.steps, a.seed, a.fault))
