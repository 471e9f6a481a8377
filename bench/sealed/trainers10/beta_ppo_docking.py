"""Docking a small craft: PPO with a Beta policy, written as a little library."""
import argparse

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.distributions import Beta


class DockingEnv(gym.Env):
    """A craft with two thrusters has to reach the berth at the origin and be slow there."""

    metadata = {"render_modes": []}

    def __init__(self, fault="none"):
        high = np.array([70.0, 70.0, 6.0, 6.0], dtype=np.float32)
        self.observation_space = spaces.Box(-high, high, dtype=np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, shape=(2,), dtype=np.float32)
        self.fault = fault
        self.pos = np.zeros(2)
        self.vel = np.zeros(2)

    def _obs(self):
        return np.concatenate([self.pos, self.vel]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        angle = self.np_random.uniform(0, 2 * np.pi)
        radius = self.np_random.uniform(15.0, 35.0)
        self.pos = radius * np.array([np.cos(angle), np.sin(angle)])
        if self.fault != "f05":
            self.vel = self.np_random.uniform(-0.5, 0.5, size=2)
        return self._obs(), {}

    def step(self, action):
        thrust = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        before = np.linalg.norm(self.pos)
        self.vel = np.clip(0.95 * self.vel + 0.4 * thrust, -6.0, 6.0)
        self.pos = self.pos + self.vel
        after = np.linalg.norm(self.pos)
        if self.fault == "f06":
            progress = after - before
        else:
            progress = before - after
        docked = after < 1.5 and np.linalg.norm(self.vel) < 0.6
        lost = bool(np.any(np.abs(self.pos) > 60.0))
        reward = 0.1 * progress - 0.02 * float(np.square(thrust).sum()) - 0.03
        if docked:
            reward += 5.0
        if lost:
            reward -= 5.0
        return self._obs(), float(reward), bool(docked or lost), False, {"docked": bool(docked)}


class RunningNorm:
    def __init__(self, size):
        self.mean = np.zeros(size)
        self.var = np.ones(size)
        self.count = 1e-4

    def update(self, batch):
        mean, var, n = batch.mean(0), batch.var(0), len(batch)
        delta = mean - self.mean
        total = self.count + n
        self.mean = self.mean + delta * n / total
        m2 = self.var * self.count + var * n + delta ** 2 * self.count * n / total
        self.var = m2 / total
        self.count = total

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -10.0, 10.0).astype(np.float32)


class BetaActor(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.alpha = nn.Linear(64, n_act)
        self.beta = nn.Linear(64, n_act)
        for head in (self.alpha, self.beta):
            nn.init.orthogonal_(head.weight, 0.01)
            nn.init.zeros_(head.bias)

    def forward(self, x):
        h = self.body(x)
        a = 1.0 + nn.functional.softplus(self.alpha(h))
        b = 1.0 + nn.functional.softplus(self.beta(h))
        return Beta(a, b)


class Rollout:
    """Collected arrays of shape (steps, envs, ...)."""

    FIELDS = ("obs", "unit", "logp", "reward", "terminated", "done", "value", "next_value")

    def __init__(self):
        self.rows = {k: [] for k in self.FIELDS}

    def add(self, **kw):
        for k, v in kw.items():
            self.rows[k].append(np.array(v, dtype=np.float32))

    def stack(self):
        return {k: np.stack(v) for k, v in self.rows.items()}


class BetaPPO:
    def __init__(self, env_fn, n_envs=8, horizon=128, gamma=0.99, lam=0.95, clip=0.2, epochs=6,
                 minibatch=256, lr=7e-4, entropy=0.001, seed=0, fault="none"):
        self.envs = [env_fn() for _ in range(n_envs)]
        self.fault = fault
        self.horizon, self.gamma, self.lam, self.clip = horizon, gamma, lam, clip
        self.epochs, self.minibatch, self.entropy = epochs, minibatch, entropy
        n_obs = self.envs[0].observation_space.shape[0]
        n_act = self.envs[0].action_space.shape[0]
        self.low, self.high = self.envs[0].action_space.low, self.envs[0].action_space.high
        self.actor = BetaActor(n_obs, n_act)
        self.critic = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        params = list(self.actor.parameters()) + list(self.critic.parameters())
        if fault == "f07":
            self.opt = torch.optim.Adam(self.actor.parameters(), lr=lr)
        else:
            self.opt = torch.optim.Adam(params, lr=lr)
        self.norm = RunningNorm(n_obs)
        self.rng = np.random.default_rng(seed)
        self.raw = np.stack([env.reset(seed=seed + 100 * i)[0] for i, env in enumerate(self.envs)])
        self.norm.update(self.raw)
        self.score = np.zeros(n_envs)
        self.scores, self.docks = [], []
        self.total_steps = 0

    def to_env(self, unit):
        if self.fault == "f01":
            return unit
        return self.low + (self.high - self.low) * unit

    @torch.no_grad()
    def values(self, x):
        return self.critic(torch.as_tensor(x)).squeeze(-1).numpy()

    def collect(self):
        roll = Rollout()
        seen = []
        for _ in range(self.horizon):
            x = self.norm(self.raw)
            with torch.no_grad():
                dist = self.actor(torch.as_tensor(x))
                unit = dist.sample().clamp(1e-5, 1 - 1e-5)
                logp = dist.log_prob(unit).sum(-1)
            value = self.values(x)
            action = self.to_env(unit.numpy())
            n = len(self.envs)
            reward, term, done = np.zeros(n), np.zeros(n), np.zeros(n)
            following, fresh = np.empty_like(self.raw), np.empty_like(self.raw)
            for i, env in enumerate(self.envs):
                obs, r, terminated, truncated, info = env.step(action[i])
                following[i] = obs
                reward[i], term[i], done[i] = r, terminated, terminated or truncated
                self.score[i] += r
                if terminated or truncated:
                    self.scores.append(self.score[i])
                    self.docks.append(float(info["docked"]))
                    self.score[i] = 0.0
                    obs, _ = env.reset()
                fresh[i] = obs
            next_value = self.values(self.norm(following))
            if self.fault == "f02":
                term = done
            roll.add(obs=x, unit=unit.numpy(), logp=logp.numpy(), reward=reward, terminated=term, done=done,
                     value=value, next_value=next_value)
            seen.append(self.raw)
            self.raw = fresh
            self.total_steps += n
        return roll.stack(), np.concatenate(seen)

    def advantages(self, data):
        adv = np.zeros_like(data["reward"])
        carry = np.zeros(adv.shape[1], dtype=np.float32)
        for t in range(self.horizon - 1, -1, -1):
            delta = data["reward"][t] + self.gamma * (1 - data["terminated"][t]) * data["next_value"][t] - data["value"][t]
            carry = delta + self.gamma * self.lam * (1 - data["done"][t]) * carry
            adv[t] = carry
        return adv, adv + data["value"]

    def learn(self, data):
        adv, ret = self.advantages(data)
        flat = {k: torch.as_tensor(v.reshape((-1,) + v.shape[2:])) for k, v in data.items()}
        if self.fault == "f03":
            flat["obs"] = torch.as_tensor(self.norm(flat["obs"].numpy()))
        adv, ret = torch.as_tensor(adv.reshape(-1)), torch.as_tensor(ret.reshape(-1))
        n = len(adv)
        stats = {"pi": [], "v": [], "h": []}
        for _ in range(self.epochs):
            order = torch.as_tensor(self.rng.permutation(n))
            for idx in order.split(self.minibatch):
                dist = self.actor(flat["obs"][idx])
                logp = dist.log_prob(flat["unit"][idx]).sum(-1)
                if self.fault == "f04":
                    ratio = torch.exp(flat["logp"][idx] - logp)
                else:
                    ratio = torch.exp(logp - flat["logp"][idx])
                a = adv[idx]
                a = (a - a.mean()) / (a.std() + 1e-8)
                pi_loss = -torch.minimum(ratio * a, ratio.clamp(1 - self.clip, 1 + self.clip) * a).mean()
                v = self.critic(flat["obs"][idx]).squeeze(-1)
                v_loss = nn.functional.mse_loss(v, ret[idx])
                h = dist.entropy().sum(-1).mean()
                loss = pi_loss + 0.5 * v_loss - self.entropy * h
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
                nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
                self.opt.step()
                for k, item in zip(stats, (pi_loss, v_loss, h)):
                    stats[k].append(item.item())
        return {k: float(np.mean(v)) for k, v in stats.items()}

    def train(self, steps):
        cycle = 0
        while self.total_steps < steps:
            data, raw = self.collect()
            stats = self.learn(data)
            self.norm.update(raw)
            cycle += 1
            if cycle % 5 == 0 or self.total_steps >= steps:
                print("[%7d] return %7.2f | docked %4.0f%% | policy loss %+.4f | value loss %.3f | entropy %.3f" % (
                    self.total_steps, np.mean(self.scores[-50:]) if self.scores else float("nan"),
                    100 * np.mean(self.docks[-50:]) if self.docks else 0.0, stats["pi"], stats["v"], stats["h"]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=120_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="none")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    def env_fn():
        return gym.wrappers.TimeLimit(DockingEnv(args.fault), max_episode_steps=100)

    BetaPPO(env_fn, seed=args.seed, fault=args.fault).train(args.steps)


if __name__ == "__main__":
    main()
