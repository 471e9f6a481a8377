"""Proximal policy optimisation for continuous torques, with running normalisation of inputs and rewards."""
import argparse
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Normal

FAULT = ""


@dataclass
class Config:
    env: str = "Pendulum-v1"
    steps: int = 110_000
    seed: int = 0
    n_envs: int = 8
    horizon: int = 256
    epochs: int = 8
    minibatch: int = 256
    lr: float = 1e-3
    gamma: float = 0.95
    lam: float = 0.95
    clip: float = 0.2
    max_grad: float = 0.5
    eval_every: int = 15


class RunningMeanStd:
    def __init__(self, shape=()):
        self.mean = np.zeros(shape, np.float64)
        self.var = np.ones(shape, np.float64)
        self.count = 1e-4

    def update(self, x):
        mean, var, n = x.mean(0), x.var(0), x.shape[0]
        delta, total = mean - self.mean, self.count + n
        m2 = self.var * self.count + var * n + delta**2 * self.count * n / total
        self.mean = self.mean + delta * n / total
        self.var = m2 / total
        self.count = total

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -10, 10).astype(np.float32)


class RewardScaler:
    """Divides rewards by the standard deviation of the discounted return."""

    def __init__(self, n, gamma):
        self.rms, self.running, self.gamma = RunningMeanStd(), np.zeros(n), gamma

    def __call__(self, reward, done):
        self.running = self.running * self.gamma + reward
        self.rms.update(self.running)
        self.running[done] = 0.0
        return np.clip(reward / np.sqrt(self.rms.var + 1e-8), -10, 10)


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n_act))
        self.v = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.log_std = nn.Parameter(torch.zeros(n_act))
        with torch.no_grad():
            self.pi[-1].weight.mul_(0.01)

    def dist(self, obs):
        return Normal(self.pi(obs), self.log_std.exp())


class PPO:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.envs = gym.make_vec(
            cfg.env, num_envs=cfg.n_envs, vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        )
        self.test_env = gym.make(cfg.env)
        n_obs = self.envs.single_observation_space.shape[0]
        self.n_act = self.envs.single_action_space.shape[0]
        self.low, self.high = self.envs.single_action_space.low, self.envs.single_action_space.high
        self.net = ActorCritic(n_obs, self.n_act)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr, eps=1e-5)
        self.obs_rms = RunningMeanStd((n_obs,))
        self.scale_reward = RewardScaler(cfg.n_envs, cfg.gamma)
        self.raw, _ = self.envs.reset(seed=cfg.seed)
        self.running_return = np.zeros(cfg.n_envs)
        self.finished = []

    def rollout(self):
        keep = {k: [] for k in ("obs", "act", "logp", "rew", "val", "next_val", "term", "done")}
        for _ in range(self.cfg.horizon):
            self.obs_rms.update(self.raw)
            obs = torch.from_numpy(self.obs_rms(self.raw))
            with torch.no_grad():
                dist = self.net.dist(obs)
                act = dist.sample()
                logp = dist.log_prob(act).sum(-1)
                val = self.net.v(obs).squeeze(-1)
            torque = np.clip(act.numpy(), self.low, self.high)
            raw_next, rew, term, trunc, info = self.envs.step(torque)
            done = term | trunc

            last = raw_next.copy()
            if done.any():
                for i in np.flatnonzero(done):
                    last[i] = info["final_obs"][i]
            with torch.no_grad():
                next_val = self.net.v(torch.from_numpy(self.obs_rms(last))).squeeze(-1)

            self.running_return += rew
            self.finished += self.running_return[done].tolist()
            self.running_return[done] = 0.0
            if FAULT == "f03":
                rew = np.clip(rew, -1.0, 1.0)

            keep["obs"].append(torch.from_numpy(self.raw.astype(np.float32)) if FAULT == "f01" else obs)
            keep["act"].append(torch.from_numpy(torque) if FAULT == "f02" else act)
            keep["logp"].append(logp)
            keep["rew"].append(torch.as_tensor(self.scale_reward(rew, done), dtype=torch.float32))
            keep["val"].append(val)
            keep["next_val"].append(next_val)
            keep["term"].append(torch.as_tensor(term, dtype=torch.float32))
            keep["done"].append(torch.as_tensor(done, dtype=torch.float32))
            self.raw = raw_next
        return {k: torch.stack(v) for k, v in keep.items()}

    def advantages(self, b):
        adv, running = torch.zeros_like(b["rew"]), torch.zeros(self.cfg.n_envs)
        for t in reversed(range(self.cfg.horizon)):
            delta = b["rew"][t] + self.cfg.gamma * (1 - b["term"][t]) * b["next_val"][t] - b["val"][t]
            running = delta + self.cfg.gamma * self.cfg.lam * (1 - b["done"][t]) * running
            adv[t] = running
        return adv, adv + b["val"]

    def update(self, b):
        adv, ret = self.advantages(b)
        obs, act = b["obs"].flatten(0, 1), b["act"].flatten(0, 1)
        logp, adv, ret = b["logp"].flatten(), adv.flatten(), ret.flatten()
        for _ in range(self.cfg.epochs):
            for idx in torch.randperm(len(obs)).split(self.cfg.minibatch):
                dist = self.net.dist(obs[idx])
                ratio = (dist.log_prob(act[idx]).sum(-1) - logp[idx]).exp()
                a = (adv[idx] - adv[idx].mean()) / (adv[idx].std() + 1e-8)
                pi_loss = -torch.min(ratio * a, ratio.clamp(1 - self.cfg.clip, 1 + self.cfg.clip) * a).mean()
                pred = self.net.v(obs[idx])
                if FAULT != "f05":
                    pred = pred.squeeze(-1)
                v_loss = (pred - ret[idx]).pow(2).mean()
                self.opt.zero_grad()
                (pi_loss + 0.5 * v_loss).backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), self.cfg.max_grad)
                self.opt.step()
        return pi_loss.item(), v_loss.item()

    @torch.no_grad()
    def evaluate(self, episodes=5):
        stats = RunningMeanStd(self.obs_rms.mean.shape) if FAULT == "f04" else self.obs_rms
        scores = []
        for k in range(episodes):
            raw, _ = self.test_env.reset(seed=10_000 + k)
            score, over = 0.0, False
            while not over:
                mean = self.net.pi(torch.from_numpy(stats(raw))).numpy()
                raw, r, term, trunc, _ = self.test_env.step(np.clip(mean, self.low, self.high))
                score, over = score + float(r), term or trunc
            scores.append(score)
        return np.mean(scores)

    def train(self):
        per = self.cfg.n_envs * self.cfg.horizon
        n = max(1, self.cfg.steps // per)
        for it in range(1, n + 1):
            self.opt.param_groups[0]["lr"] = self.cfg.lr * (1 - (it - 1) / n)
            pi_loss, v_loss = self.update(self.rollout())
            if it % 5 == 0 or it == n:
                mean = np.mean(self.finished[-40:]) if self.finished else float("nan")
                print(f"[{it:3d}/{n}] steps {it * per:7d} return {mean:8.1f} pi {pi_loss:+.3f} v {v_loss:.3f} "
                      f"std {self.net.log_std.exp().mean().item():.2f}", flush=True)
            if it % self.cfg.eval_every == 0 or it == n:
                print(f"          test return {self.evaluate():8.1f}", flush=True)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=Config.steps)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--fault", default="")
    a = p.parse_args()
    FAULT = a.fault
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    np.random.seed(a.seed)
    PPO(Config(steps=a.steps, seed=a.seed)).train()
