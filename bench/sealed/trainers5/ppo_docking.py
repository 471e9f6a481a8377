"""PPO with a Gaussian policy; a list of environments, observations and rewards normalised by hand.

The task: a small craft has to dock at the origin, slowly, without leaving the arena.
"""
import argparse
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.distributions import Normal

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=50_000)
ap.add_argument("--seed", type=int, default=0)
ap.add_argument("--fault", default="")
ap.add_argument("--env", default="Docking-v0")
opts = ap.parse_args()


class Docking(gym.Env):
    """Two thrusters, inertia. Docked (within 1 m, slower than 1.5 m/s): +10, left the arena: -10."""

    ARENA = 20.0

    def __init__(self):
        high = np.array([25, 25, 15, 15], dtype=np.float32)
        self.observation_space = spaces.Box(-high, high, dtype=np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), dtype=np.float32)

    def _obs(self):
        return np.concatenate([self.pos, self.vel]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        angle = self.np_random.uniform(0, 2 * np.pi)
        dist = self.np_random.uniform(6, 14)
        self.pos = dist * np.array([np.cos(angle), np.sin(angle)])
        self.vel = self.np_random.uniform(-1, 1, size=2)
        return self._obs(), {}

    def step(self, action):
        thrust = np.clip(np.asarray(action, dtype=np.float64), -1, 1)
        before = np.linalg.norm(self.pos)
        self.vel = 0.98 * self.vel + 0.6 * thrust
        self.pos = self.pos + 0.2 * self.vel
        dist, speed = np.linalg.norm(self.pos), np.linalg.norm(self.vel)
        reward = 0.3 * (before - dist) - 0.05 - 0.02 * float(thrust @ thrust)
        terminated = False
        if dist < 1.0 and speed < 1.5:
            reward, terminated = reward + 10.0, True
        elif np.abs(self.pos).max() > self.ARENA:
            reward, terminated = reward - 10.0, True
        return self._obs(), float(reward), terminated, False, {}


gym.register("Docking-v0", entry_point=Docking, max_episode_steps=150)


class RunningStat:
    def __init__(self, shape):
        self.mean, self.var, self.count = np.zeros(shape), np.ones(shape), 1e-4

    def update(self, x):
        x = np.asarray(x, dtype=np.float64)
        m, v, n = x.mean(0), x.var(0), x.shape[0]
        delta, total = m - self.mean, self.count + n
        self.mean = self.mean + delta * n / total
        self.var = (self.var * self.count + v * n + delta**2 * self.count * n / total) / total
        self.count = total


class Policy(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mu = nn.Linear(64, act_dim)
        nn.init.orthogonal_(self.mu.weight, 0.01)
        self.log_std = nn.Parameter(torch.full((act_dim,), -0.5))

    def forward(self, x):
        log_std = self.log_std
        if opts.fault == "f07":
            log_std = log_std.clamp(-20.0, -4.0)
        return Normal(self.mu(self.body(x)), log_std.exp())


def make_critic(obs_dim):
    return nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))


class PPO:
    n_envs, horizon, epochs, batch = 4, 256, 10, 128
    gamma, lam, clip, lr = 0.99, 0.95, 0.2, 5e-4

    def __init__(self):
        self.envs = [gym.make(opts.env) for _ in range(self.n_envs)]
        self.obs_dim = self.envs[0].observation_space.shape[0]
        space = self.envs[0].action_space
        self.low, self.high = space.low, space.high
        self.policy, self.critic = Policy(self.obs_dim, space.shape[0]), make_critic(self.obs_dim)
        params = list(self.policy.parameters())
        if opts.fault != "f05":
            params += list(self.critic.parameters())
        self.opt = torch.optim.Adam(params, lr=self.lr)
        self.n_updates = max(1, opts.steps // (self.n_envs * self.horizon))
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.opt, lambda k: max(0.0, 1.0 - k / self.n_updates))
        self.obs_stat, self.ret_stat = RunningStat(self.obs_dim), RunningStat(())
        self.disc_ret = np.zeros(self.n_envs)
        self.raw = np.stack([e.reset(seed=opts.seed * 100 + i)[0] for i, e in enumerate(self.envs)])
        self.obs_stat.update(self.raw)
        self.ep_ret = np.zeros(self.n_envs)
        self.finished = deque(maxlen=50)
        self.kept = deque(maxlen=6)

    def norm(self, obs):
        z = (np.asarray(obs) - self.obs_stat.mean) / np.sqrt(self.obs_stat.var + 1e-8)
        return torch.as_tensor(np.clip(z, -10, 10), dtype=torch.float32)

    def scale_reward(self, r, done):
        self.disc_ret = self.disc_ret * self.gamma + r
        self.ret_stat.update(self.disc_ret)
        self.disc_ret[done] = 0.0
        low = 0.0 if opts.fault == "f03" else -10.0
        return np.clip(r / np.sqrt(self.ret_stat.var + 1e-8), low, 10.0)

    @torch.no_grad()
    def collect(self):
        data = {k: [] for k in ("obs", "act", "logp", "rew", "next", "term", "done")}
        for _ in range(self.horizon):
            x = self.norm(self.raw)
            dist = self.policy(x)
            act = dist.sample()
            logp = dist.log_prob(act).sum(-1)
            clipped = np.clip(act.numpy(), self.low, self.high)
            if opts.fault == "f02":
                act = torch.as_tensor(clipped)
            nxt, rew, term, done = [], [], [], []
            after = []
            for i, env in enumerate(self.envs):
                o, r, te, tr, _ = env.step(clipped[i])
                self.ep_ret[i] += r
                last = o
                if te or tr:
                    self.finished.append(self.ep_ret[i])
                    self.ep_ret[i] = 0.0
                    o, _ = env.reset()
                    if opts.fault == "f04":
                        last = o
                nxt.append(last), rew.append(r), term.append(te), done.append(te or tr), after.append(o)
            done = np.array(done)
            data["obs"].append(x)
            data["act"].append(act)
            data["logp"].append(logp)
            data["rew"].append(torch.as_tensor(self.scale_reward(np.array(rew), done), dtype=torch.float32))
            data["next"].append(self.norm(np.stack(nxt)))
            data["term"].append(torch.as_tensor(np.array(term), dtype=torch.float32))
            data["done"].append(torch.as_tensor(done, dtype=torch.float32))
            self.raw = np.stack(after)
            self.obs_stat.update(self.raw)
        d = {k: torch.stack(v) for k, v in data.items()}
        v, nv = self.critic(d["obs"]).squeeze(-1), self.critic(d["next"]).squeeze(-1)
        adv, acc = torch.zeros_like(v), torch.zeros(self.n_envs)
        for t in reversed(range(self.horizon)):
            delta = d["rew"][t] + self.gamma * nv[t] * (1 - d["term"][t]) - v[t]
            acc = delta + self.gamma * self.lam * (1 - d["done"][t]) * acc
            adv[t] = acc
        return {"obs": d["obs"].flatten(0, 1), "act": d["act"].flatten(0, 1), "logp": d["logp"].flatten(),
                "adv": adv.flatten(), "ret": (adv + v).flatten()}

    def update(self, b):
        obs = b["obs"]
        if opts.fault == "f01":
            obs = self.norm(obs.numpy())
        size = len(obs)
        for _ in range(self.epochs):
            for idx in torch.randperm(size).split(self.batch):
                dist = self.policy(obs[idx])
                ratio = (dist.log_prob(b["act"][idx]).sum(-1) - b["logp"][idx]).exp()
                adv = b["adv"][idx]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                s1, s2 = ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv
                surrogate = torch.max(s1, s2) if opts.fault == "f06" else torch.min(s1, s2)
                v_loss = (self.critic(obs[idx]).squeeze(-1) - b["ret"][idx]).pow(2).mean()
                loss = -surrogate.mean() + 0.5 * v_loss - 1e-3 * dist.entropy().sum(-1).mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_([p for g in self.opt.param_groups for p in g["params"]], 0.5)
                self.opt.step()
                if opts.fault == "f08":
                    self.sched.step()
        if opts.fault != "f08":
            self.sched.step()
        return v_loss.item(), dist.stddev.mean().item()

    @torch.no_grad()
    def evaluate(self, n=10):
        env, out = gym.make(opts.env), []
        for k in range(n):
            o, _ = env.reset(seed=50_000 + k)
            total, over = 0.0, False
            while not over:
                x = self.norm(o)
                if opts.fault == "f09":
                    x = torch.as_tensor(o, dtype=torch.float32)
                a = self.policy(x).mean.numpy()
                o, r, te, tr, _ = env.step(np.clip(a, self.low, self.high))
                total, over = total + r, te or tr
            out.append(total)
        return np.mean(out)

    def learn(self):
        for k in range(1, self.n_updates + 1):
            rollout = self.collect()
            if opts.fault == "f10":
                self.kept.append(rollout)
                rollout = {key: torch.cat([r[key] for r in self.kept]) for key in rollout}
            v_loss, std = self.update(rollout)
            if k % 4 == 0 or k == self.n_updates:
                ret = np.mean(self.finished) if self.finished else float("nan")
                print(f"[{k * self.n_envs * self.horizon:>7}] ep_return={ret:7.2f} value_loss={v_loss:.4f} "
                      f"std={std:.3f}", flush=True)
            if k % 16 == 0 or k == self.n_updates:
                print(f"[{k * self.n_envs * self.horizon:>7}] eval={self.evaluate():7.2f}", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(opts.seed)
    np.random.seed(opts.seed)
    PPO().learn()
