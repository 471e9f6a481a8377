"""Dueling double DQN with n-step targets and prioritised replay (a small part of Rainbow), Acrobot-v1."""
from __future__ import annotations

import argparse
import time
from collections import deque
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor, nn

torch.set_num_threads(1)


@dataclass
class Config:
    env_id: str = "Acrobot-v1"
    fault: str | None = None
    seed: int = 0
    steps: int = 20_000
    gamma: float = 0.99
    n_step: int = 5
    capacity: int = 16_384
    batch_size: int = 64
    warmup: int = 1_000
    learn_every: int = 3
    lr: float = 5e-4
    tau: float = 0.01
    alpha: float = 0.6
    beta0: float = 0.4
    eps_start: float = 1.0
    eps_end: float = 0.03
    eps_steps: int = 6_000
    hidden: int = 96
    log_every: int = 2_500


class DuelingNet(nn.Module):
    def __init__(self, obs_dim: int, n_actions: int, cfg: Config):
        super().__init__()
        self.fault = cfg.fault
        self.trunk = nn.Sequential(nn.Linear(obs_dim, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU())
        self.v = nn.Linear(cfg.hidden, 1)
        self.a = nn.Linear(cfg.hidden, n_actions)

    def forward(self, x: Tensor) -> Tensor:
        h = self.trunk(x)
        v, a = self.v(h), self.a(h)
        if self.fault == "f03":
            return v + a - a.mean()
        return v + a - a.mean(dim=-1, keepdim=True)


class NStepWindow:
    """Turns single transitions into n-step ones: (obs, action, R, obs_n, discount)."""

    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.window: deque = deque(maxlen=cfg.n_step)

    def _collapse(self, last_obs, terminated):
        ret = sum(self.cfg.gamma**k * r for k, (_, _, r) in enumerate(self.window))
        power = 1 if self.cfg.fault == "f01" else len(self.window)
        discount = 0.0 if terminated else self.cfg.gamma**power
        obs, action, _ = self.window[0]
        return obs, action, ret, last_obs, discount

    def push(self, obs, action, reward, next_obs, terminated, truncated):
        self.window.append((obs, action, reward))
        out = []
        if len(self.window) == self.cfg.n_step:
            out.append(self._collapse(next_obs, terminated))
        if (terminated or truncated) and self.cfg.fault != "f02":
            if len(self.window) == self.cfg.n_step:
                self.window.popleft()
            while self.window:
                out.append(self._collapse(next_obs, terminated))
                self.window.popleft()
        return out


class PrioritisedReplay:
    def __init__(self, obs_dim: int, cfg: Config, rng: np.random.Generator):
        n = cfg.capacity
        self.cfg, self.rng = cfg, rng
        self.obs = np.zeros((n, obs_dim), np.float32)
        self.obs_n = np.zeros((n, obs_dim), np.float32)
        self.action = np.zeros(n, np.int64)
        self.ret = np.zeros(n, np.float32)
        self.discount = np.zeros(n, np.float32)
        self.priority = np.zeros(n, np.float64)
        self.ptr = self.size = 0
        self.max_priority = 1.0

    def add(self, obs, action, ret, obs_n, discount):
        i = self.ptr
        self.obs[i], self.action[i], self.ret[i], self.obs_n[i], self.discount[i] = obs, action, ret, obs_n, discount
        self.priority[i] = self.max_priority
        self.ptr = (i + 1) % self.cfg.capacity
        self.size = min(self.size + 1, self.cfg.capacity)

    def sample(self, beta: float):
        cum = np.cumsum(self.priority[: self.size])
        u = (np.arange(self.cfg.batch_size) + self.rng.random(self.cfg.batch_size)) / self.cfg.batch_size
        idx = np.minimum(np.searchsorted(cum, u * cum[-1], side="right"), self.size - 1)
        prob = self.priority[idx] / cum[-1]
        weight = (self.size * prob) ** -beta
        weight = weight / weight.max()
        pick = lambda x: torch.from_numpy(x[idx])
        return idx, pick(self.obs), pick(self.action), pick(self.ret), pick(self.obs_n), pick(self.discount), torch.as_tensor(weight, dtype=torch.float32)

    def reprioritise(self, idx, td: np.ndarray):
        if self.cfg.fault == "f04":
            p = np.maximum(td, 1e-3) ** self.cfg.alpha
        else:
            p = (np.abs(td) + 1e-3) ** self.cfg.alpha
        self.priority[idx] = p
        self.max_priority = max(self.max_priority, float(p.max()))


class Learner:
    def __init__(self, obs_dim: int, n_actions: int, cfg: Config):
        self.cfg = cfg
        self.online, self.target = DuelingNet(obs_dim, n_actions, cfg), DuelingNet(obs_dim, n_actions, cfg)
        self.target.load_state_dict(self.online.state_dict())
        self.opt = torch.optim.Adam(self.online.parameters(), lr=cfg.lr)

    def step(self, replay: PrioritisedReplay, beta: float) -> dict:
        idx, obs, action, ret, obs_n, discount, weight = replay.sample(beta)
        q = self.online(obs).gather(1, action[:, None])[:, 0]
        with torch.no_grad():
            a_star = self.online(obs_n).argmax(1, keepdim=True)
            y = ret + discount * self.target(obs_n).gather(1, a_star)[:, 0]
        td = y - q
        loss = (weight * nn.functional.smooth_l1_loss(q, y, reduction="none")).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.opt.step()
        replay.reprioritise(idx, td.detach().numpy())
        with torch.no_grad():
            for p, pt in zip(self.online.parameters(), self.target.parameters()):
                pt.lerp_(p, self.cfg.tau)
        return {"loss": loss.item(), "q": q.mean().item()}


def greedy(net: DuelingNet, obs: np.ndarray) -> int:
    with torch.no_grad():
        return int(net(torch.as_tensor(obs).unsqueeze(0)).argmax(1))


def evaluate(net: DuelingNet, env: gym.Env, episodes: int) -> float:
    returns = []
    for k in range(episodes):
        obs, _ = env.reset(seed=20_000 + k)
        ret, over = 0.0, False
        while not over:
            obs, r, term, trunc, _ = env.step(greedy(net, obs))
            ret += float(r)
            over = term or trunc
        returns.append(ret)
    return float(np.mean(returns))


def run(cfg: Config) -> None:
    t0 = time.time()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    env, eval_env = gym.make(cfg.env_id), gym.make(cfg.env_id)
    obs_dim, n_actions = env.observation_space.shape[0], int(env.action_space.n)
    learner = Learner(obs_dim, n_actions, cfg)
    replay = PrioritisedReplay(obs_dim, cfg, rng)
    window = NStepWindow(cfg)
    returns: deque = deque(maxlen=10)
    stats = {"loss": 0.0, "q": 0.0}

    obs, _ = env.reset(seed=cfg.seed)
    ep_return = 0.0
    for step in range(1, cfg.steps + 1):
        eps = max(cfg.eps_end, cfg.eps_start - (cfg.eps_start - cfg.eps_end) * step / cfg.eps_steps)
        if rng.random() < eps:
            action = int(rng.integers(0, n_actions - 1 if cfg.fault == "f06" else n_actions))
        else:
            action = greedy(learner.online, obs)
        next_obs, reward, terminated, truncated, _ = env.step(action)
        ep_return += float(reward)
        stored = ep_return if cfg.fault == "f05" else float(reward)
        for item in window.push(obs, action, stored, next_obs, terminated, truncated):
            replay.add(*item)
        obs = next_obs
        if terminated or truncated:
            returns.append(ep_return)
            ep_return = 0.0
            obs, _ = env.reset()
        if step >= cfg.warmup and step % cfg.learn_every == 0:
            stats = learner.step(replay, beta=cfg.beta0 + (1 - cfg.beta0) * step / cfg.steps)
        if step % cfg.log_every == 0:
            print(f"[{step:>6}] train={np.mean(returns) if returns else float('nan'):.1f} "
                  f"eval={evaluate(learner.online, eval_env, 2):.1f} loss={stats['loss']:.4f} q={stats['q']:.2f} eps={eps:.3f}")
    print(f"final eval {evaluate(learner.online, eval_env, 20):.1f} in {time.time() - t0:.0f}s")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--fault", default=None, choices=["f01", "f02", "f03", "f04", "f05", "f06"])
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=Config.steps)
    ns = ap.parse_args()
    run(Config(fault=ns.fault, seed=ns.seed, steps=ns.steps))
