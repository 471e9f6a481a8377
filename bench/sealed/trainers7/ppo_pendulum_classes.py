"""Proximal policy optimisation for continuous actions, object-oriented.

    python ppo_pendulum_classes.py --seed 1
"""
import argparse
import time
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal

torch.set_num_threads(1)


class RunningStat:
    """Mean and variance of a stream (Welford, in batches of one)."""

    def __init__(self, shape=()):
        self.n = 1e-4
        self.mean = np.zeros(shape, dtype=np.float64)
        self.var = np.ones(shape, dtype=np.float64)

    def push(self, x):
        x = np.asarray(x, dtype=np.float64)
        total = self.n + 1
        delta = x - self.mean
        self.mean = self.mean + delta / total
        self.var = (self.var * self.n + delta**2 * self.n / total) / total
        self.n = total

    @property
    def std(self):
        return np.sqrt(self.var + 1e-8)


class ObservationFilter:
    def __init__(self, shape, clip=10.0):
        self.stat = RunningStat(shape)
        self.clip = clip

    def __call__(self, obs, update=False):
        if update:
            self.stat.push(obs)
        return np.clip((obs - self.stat.mean) / self.stat.std, -self.clip, self.clip).astype(np.float32)


class RewardScaler:
    """Divides rewards by the standard deviation of the discounted return."""

    def __init__(self, gamma):
        self.gamma = gamma
        self.stat = RunningStat()
        self.ret = 0.0

    def __call__(self, reward, done):
        self.ret = self.ret * self.gamma + reward
        self.stat.push(self.ret)
        if done:
            self.ret = 0.0
        return reward / float(self.stat.std)


class GaussianActor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.mu = nn.Linear(hidden, act_dim)
        self.log_std = nn.Parameter(torch.zeros(act_dim))
        nn.init.orthogonal_(self.mu.weight, 0.01)
        nn.init.zeros_(self.mu.bias)

    def forward(self, obs):
        mu = self.mu(self.body(obs))
        return Normal(mu, self.log_std.exp().expand_as(mu))


class Critic(nn.Module):
    def __init__(self, obs_dim, hidden=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, obs):
        return self.net(obs).squeeze(-1)


class Rollout:
    FIELDS = ("raw", "obs", "next_obs", "action", "logp", "reward", "terminated", "done")

    def __init__(self):
        self.clear()

    def clear(self):
        self.rows = {k: [] for k in self.FIELDS}

    def add(self, **row):
        for k in self.FIELDS:
            self.rows[k].append(row[k])

    def __len__(self):
        return len(self.rows["obs"])

    def tensor(self, key):
        return torch.as_tensor(np.asarray(self.rows[key], dtype=np.float32))


class PPO:
    def __init__(self, env, fault=None, gamma=0.9, lam=0.95, clip=0.2, lr=1e-3, epochs=10, batch=128, horizon=1024):
        self.env, self.fault = env, fault
        self.gamma, self.lam, self.clip, self.epochs, self.batch, self.horizon = gamma, lam, clip, epochs, batch, horizon
        space = env.action_space
        self.center = (space.high + space.low) / 2
        self.half = (space.high - space.low) / 2
        obs_dim, act_dim = env.observation_space.shape[0], space.shape[0]
        self.actor = GaussianActor(obs_dim, act_dim)
        self.critic = Critic(obs_dim)
        actor_params = list(self.actor.parameters())
        if fault == "f04":
            actor_params = list(self.actor.body.parameters()) + list(self.actor.mu.parameters())
        self.optimizer = torch.optim.Adam(actor_params + list(self.critic.parameters()), lr=lr, eps=1e-5)
        self.filter = ObservationFilter(env.observation_space.shape)
        self.scaler = RewardScaler(gamma)
        self.rollout = Rollout()

    def to_env(self, action):
        return (self.center + self.half * np.clip(action, -1.0, 1.0)).astype(np.float32)

    @torch.no_grad()
    def act(self, obs):
        dist = self.actor(torch.as_tensor(obs))
        action = dist.sample()
        return action.numpy(), dist.log_prob(action).sum(-1).item()

    def advantages(self):
        r = self.rollout
        obs, nxt, reward = r.tensor("obs"), r.tensor("next_obs"), r.tensor("reward")
        terminated, done = r.tensor("terminated"), r.tensor("done")
        with torch.no_grad():
            v, nv = self.critic(obs), self.critic(nxt)
        delta = (reward + self.gamma * (1 - terminated) * nv - v).numpy()
        carry = (self.gamma * self.lam * (1 - done)).numpy()
        adv = np.zeros_like(delta)
        running = 0.0
        for t in range(len(r) - 1, -1, -1):
            running = delta[t] + carry[t] * running
            adv[t] = running
        adv = torch.from_numpy(adv)
        return adv, adv + v

    def update(self):
        adv, target = self.advantages()
        r = self.rollout
        obs, action, old_logp = r.tensor("obs"), r.tensor("action"), r.tensor("logp")
        if self.fault == "f01":
            raw = r.tensor("raw")
            obs = (raw - raw.mean(0)) / (raw.std(0) + 1e-8)
        if self.fault == "f02":
            action = action.clamp(-1.0, 1.0)
        for _ in range(self.epochs):
            for idx in torch.randperm(len(r)).split(self.batch):
                dist = self.actor(obs[idx])
                logp = dist.log_prob(action[idx]).sum(-1)
                a = adv[idx]
                a = (a - a.mean()) / (a.std() + 1e-8)
                ratio = torch.exp(logp - old_logp[idx])
                if self.fault == "f03":
                    limited = torch.clamp(ratio * a, 1 - self.clip, 1 + self.clip)
                else:
                    limited = torch.clamp(ratio, 1 - self.clip, 1 + self.clip) * a
                policy_loss = -torch.min(ratio * a, limited).mean()
                value_loss = nn.functional.mse_loss(self.critic(obs[idx]), target[idx])
                loss = policy_loss + 0.5 * value_loss
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
                nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
                self.optimizer.step()
        r.clear()
        return policy_loss.item(), value_loss.item()


class Trainer:
    def __init__(self, env_id, seed, fault):
        self.fault, self.seed = fault, seed
        self.env, self.eval_env = gym.make(env_id), gym.make(env_id)
        self.ppo = PPO(self.env, fault)
        self.recent = deque(maxlen=20)

    def evaluate(self, episodes=10):
        ppo = self.ppo
        view = ppo.filter
        if self.fault == "f06":
            view = ObservationFilter(self.eval_env.observation_space.shape)
        scores = []
        for k in range(episodes):
            obs, _ = self.eval_env.reset(seed=500 + k)
            score, done = 0.0, False
            while not done:
                x = view(obs, update=self.fault == "f06")
                with torch.no_grad():
                    action = ppo.actor(torch.as_tensor(x)).mean.numpy()
                obs, reward, terminated, truncated, _ = self.eval_env.step(ppo.to_env(action))
                score += float(reward)
                done = terminated or truncated
            scores.append(score)
        return float(np.mean(scores))

    def train(self, steps):
        ppo = self.ppo
        obs, _ = self.env.reset(seed=self.seed)
        x = ppo.filter(obs, update=True)
        score, updates = 0.0, 0
        for step in range(1, steps + 1):
            action, logp = ppo.act(x)
            next_obs, reward, terminated, truncated, _ = self.env.step(ppo.to_env(action))
            done = terminated or truncated
            score += float(reward)
            r = float(reward)
            if self.fault == "f05":
                r = float(np.clip(r, -1.0, 1.0))
            next_x = ppo.filter(next_obs, update=True)
            ppo.rollout.add(raw=obs, obs=x, next_obs=next_x, action=action, logp=logp, reward=ppo.scaler(r, done),
                            terminated=terminated, done=done)
            obs, x = next_obs, next_x
            if done:
                self.recent.append(score)
                score = 0.0
                obs, _ = self.env.reset()
                x = ppo.filter(obs, update=True)
            if len(ppo.rollout) == ppo.horizon:
                pl, vl = ppo.update()
                updates += 1
                if updates % 5 == 0:
                    print(f"step {step:6d}  return {np.mean(self.recent):8.1f}  eval {self.evaluate(4):8.1f}  "
                          f"policy {pl:+.4f}  value {vl:.4f}  std {ppo.actor.log_std.exp().mean().item():.3f}")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--fault", default=None, choices=[f"f0{i}" for i in range(1, 7)])
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--steps", type=int, default=40_960)
    a = p.parse_args()
    np.random.seed(a.seed)
    torch.manual_seed(a.seed)
    t0 = time.time()
    trainer = Trainer("Pendulum-v1", a.seed, a.fault)
    trainer.train(a.steps)
    print(f"final eval {trainer.evaluate(20):.1f} in {time.time() - t0:.0f}s")


if __name__ == "__main__":
    main()
