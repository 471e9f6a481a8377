"""Lab code: PPO with a Gaussian policy, GAE, running observation and reward scales.

Everything in one file so that students can read it from top to bottom.
"""
import argparse
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal
from torch.nn import functional as F


@dataclass
class Config:
    env: str = "InvertedPendulum-v5"
    n_envs: int = 4
    horizon: int = 256
    epochs: int = 8
    minibatch: int = 128
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    lr: float = 7e-4
    vf_coef: float = 0.5
    ent_coef: float = 0.0
    max_grad_norm: float = 0.5
    eval_every: int = 10
    eval_episodes: int = 5


class RunningMoments:
    """Mean and variance of a stream of batches (Chan et al.)."""

    def __init__(self, shape=()):
        self.mean = np.zeros(shape, np.float64)
        self.var = np.ones(shape, np.float64)
        self.count = 1e-4

    def update(self, batch):
        m, v, n = batch.mean(0), batch.var(0), batch.shape[0]
        delta = m - self.mean
        total = self.count + n
        self.mean = self.mean + delta * n / total
        self.var = (self.var * self.count + v * n + delta**2 * self.count * n / total) / total
        self.count = total


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, fault):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, act_dim))
        self.v = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        for net, gain in ((self.pi, 0.01), (self.v, 1.0)):
            for layer in net:
                if isinstance(layer, nn.Linear):
                    nn.init.orthogonal_(layer.weight, 2**0.5)
                    nn.init.zeros_(layer.bias)
            nn.init.orthogonal_(net[-1].weight, gain)
        start = -5.0 if fault == "f06" else 0.0
        self.log_std = nn.Parameter(torch.full((act_dim,), start))

    def dist(self, obs):
        return Normal(self.pi(obs), self.log_std.exp())

    def value(self, obs):
        return self.v(obs).squeeze(-1)


class Storage:
    """What one iteration of the actors leaves behind."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.obs, self.act, self.logp, self.rew, self.val, self.next_val, self.term, self.done = ([] for _ in range(8))

    def add(self, obs, act, logp, rew, val, next_val, term, done):
        self.obs.append(obs)
        self.act.append(act)
        self.logp.append(logp)
        self.rew.append(rew)
        self.val.append(val)
        self.next_val.append(next_val)
        self.term.append(term)
        self.done.append(done)


class PPO:
    def __init__(self, cfg, seed, fault):
        self.cfg, self.fault = cfg, fault
        self.rng = np.random.default_rng(seed)
        self.envs = [gym.make(cfg.env) for _ in range(cfg.n_envs)]
        self.eval_env = gym.make(cfg.env)
        self.seed = seed
        space = self.envs[0].action_space
        self.low, self.high = space.low, space.high
        obs_dim, act_dim = self.envs[0].observation_space.shape[0], space.shape[0]
        self.net = ActorCritic(obs_dim, act_dim, fault)
        if fault == "f07":
            params = list(self.net.pi.parameters()) + [self.net.log_std]
        else:
            params = list(self.net.parameters())
        self.opt = torch.optim.Adam(params, lr=cfg.lr, eps=1e-5)
        self.obs_rms = RunningMoments((obs_dim,))
        self.ret_rms = RunningMoments()
        self.disc_ret = np.zeros(cfg.n_envs)
        self.raw = np.zeros((cfg.n_envs, obs_dim))
        self.normed = np.zeros((cfg.n_envs, obs_dim), np.float32)
        self.ep_ret = np.zeros(cfg.n_envs)
        self.returns = []
        self.store = Storage()
        self.steps = 0
        for i, env in enumerate(self.envs):
            self.raw[i], _ = env.reset(seed=seed * 1000 + i)

    # -- preprocessing -------------------------------------------------------------------------------------------------
    def norm_obs(self, raw):
        if self.fault == "f01":
            z = (raw - self.obs_rms.mean) / (self.obs_rms.var + 1e-8)
        else:
            z = (raw - self.obs_rms.mean) / np.sqrt(self.obs_rms.var + 1e-8)
        return np.clip(z, -10, 10).astype(np.float32)

    def scale_reward(self, reward, done):
        if self.fault == "f10":
            reward = reward - 1.5
        self.disc_ret = self.disc_ret * self.cfg.gamma + reward
        self.ret_rms.update(self.disc_ret)
        self.disc_ret[done] = 0.0
        return np.clip(reward / np.sqrt(self.ret_rms.var + 1e-8), -10, 10)

    # -- acting --------------------------------------------------------------------------------------------------------
    def to_env(self, action):
        if self.fault == "f05":
            action = action.astype(np.int64)
        return np.clip(action, self.low, self.high)

    @torch.no_grad()
    def collect(self):
        self.store.clear()
        n = self.cfg.n_envs
        for _ in range(self.cfg.horizon):
            self.obs_rms.update(self.raw)
            self.normed[:] = self.norm_obs(self.raw)
            obs = torch.from_numpy(self.normed if self.fault == "f09" else self.normed.copy())
            dist = self.net.dist(obs)
            action = dist.sample()
            logp = dist.log_prob(action).sum(-1)
            value = self.net.value(obs)

            reward, term, done = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
            last = np.zeros_like(self.raw)
            env_action = self.to_env(action.numpy())
            for i, env in enumerate(self.envs):
                nxt, reward[i], terminated, truncated, _ = env.step(env_action[i])
                term[i], done[i] = terminated, terminated or truncated
                last[i] = nxt
                self.ep_ret[i] += reward[i]
                if done[i]:
                    self.returns.append(self.ep_ret[i])
                    self.ep_ret[i] = 0.0
                    nxt, _ = env.reset()
                self.raw[i] = nxt
            next_value = self.net.value(torch.from_numpy(self.norm_obs(last)))
            scaled = self.scale_reward(reward, done)
            self.store.add(obs, action, logp, torch.as_tensor(scaled, dtype=torch.float32), value, next_value,
                           torch.as_tensor(term).float(), torch.as_tensor(done).float())
            self.steps += n

    # -- learning ------------------------------------------------------------------------------------------------------
    def gae(self):
        s, cfg = self.store, self.cfg
        adv = [None] * cfg.horizon
        running = torch.zeros(cfg.n_envs)
        order = range(cfg.horizon) if self.fault == "f03" else reversed(range(cfg.horizon))
        for t in order:
            delta = s.rew[t] + cfg.gamma * (1 - s.term[t]) * s.next_val[t] - s.val[t]
            running = delta + cfg.gamma * cfg.lam * (1 - s.done[t]) * running
            adv[t] = running
        adv = torch.stack(adv)
        return adv, adv + torch.stack(s.val)

    def update(self):
        cfg, s = self.cfg, self.store
        adv, ret = self.gae()
        obs = torch.stack(s.obs).flatten(0, 1)
        act = torch.stack(s.act).flatten(0, 1)
        old_logp = torch.stack(s.logp).flatten()
        adv, ret = adv.flatten(), ret.flatten()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        total = obs.shape[0]
        for _ in range(cfg.epochs):
            perm = torch.from_numpy(self.rng.permutation(total))
            for idx in perm.split(cfg.minibatch):
                dist = self.net.dist(obs[idx])
                logp = dist.log_prob(act[idx]).sum(-1)
                if self.fault == "f04":
                    ratio = torch.exp(old_logp[idx] - logp)
                else:
                    ratio = torch.exp(logp - old_logp[idx])
                surr = torch.min(ratio * adv[idx], ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * adv[idx])
                pi_loss = -surr.mean()
                target = adv[idx] if self.fault == "f08" else ret[idx]
                v_loss = F.mse_loss(self.net.value(obs[idx]), target)
                entropy = dist.entropy().sum(-1).mean()
                loss = pi_loss + cfg.vf_coef * v_loss - cfg.ent_coef * entropy
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), cfg.max_grad_norm)
                self.opt.step()
        return pi_loss.item(), v_loss.item()

    # -- evaluation ----------------------------------------------------------------------------------------------------
    @torch.no_grad()
    def evaluate(self):
        scores = []
        for k in range(self.cfg.eval_episodes):
            raw, _ = self.eval_env.reset(seed=10_000 + self.seed * 100 + k)
            done, score = False, 0.0
            while not done:
                if self.fault == "f02":
                    x = raw.astype(np.float32)
                else:
                    x = self.norm_obs(raw)
                mean = self.net.pi(torch.from_numpy(x)).numpy()
                raw, r, terminated, truncated, _ = self.eval_env.step(self.to_env(mean))
                done = terminated or truncated
                score += r
            scores.append(score)
        return float(np.mean(scores))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=40000)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--fault", default=None)
    args = p.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    ppo = PPO(Config(), args.seed, args.fault)
    it = 0
    while ppo.steps < args.steps:
        ppo.collect()
        pi_loss, v_loss = ppo.update()
        it += 1
        if it % 5 == 0:
            print(f"iter {it:3d} steps {ppo.steps:6d} return {np.mean(ppo.returns[-20:]):8.1f} "
                  f"pi_loss {pi_loss:7.4f} v_loss {v_loss:8.4f} std {ppo.net.log_std.exp().mean().item():.3f}")
        if it % ppo.cfg.eval_every == 0:
            print(f"  eval at {ppo.steps}: {ppo.evaluate():.1f}")
    print(f"final eval: {ppo.evaluate():.1f}")


if __name__ == "__main__":
    main()
