#!/usr/bin/env python
"""Continuous PPO on a little drone that has to hold its position in the wind.

Gaussian policy with a free log-std, observations normalised by running statistics.
"""
from __future__ import annotations

import argparse
from dataclasses import dataclass, field

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.distributions import Normal

torch.set_num_threads(1)
FAULT = "none"


class Hover(gymnasium.Env):
    """Metres and seconds. Thrust along x and y, a wind that is constant in an episode."""

    observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
    action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _see(self):
        return np.concatenate([self.p, self.v, self.w]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p = self.np_random.uniform(-12, 12, 2)
        self.v = self.np_random.uniform(-1, 1, 2)
        self.w = self.np_random.uniform(-0.6, 0.6, 2)
        return self._see(), {}

    def step(self, action):
        a = np.clip(np.asarray(action, dtype=np.float64), -1, 1)
        self.v = self.v + 0.2 * (2.0 * a + self.w - 0.1 * self.v)
        self.p = self.p + 0.2 * self.v
        far = float(np.linalg.norm(self.p))
        lost = far > 25.0
        reward = 1.0 - far / 12.0 - 0.02 * float(a @ a) - (5.0 if lost else 0.0)
        return self._see(), reward, lost, False, {}


gymnasium.register("Hover-v0", entry_point=Hover, max_episode_steps=100)


class RunningNorm:
    def __init__(self, dim):
        self.n, self.mu, self.m2 = 1e-4, np.zeros(dim), np.zeros(dim) + 1e-4

    def push(self, batch):
        batch = np.asarray(batch, dtype=np.float64)
        k, mu, var = len(batch), batch.mean(0), batch.var(0)
        gap, total = mu - self.mu, self.n + len(batch)
        self.mu = self.mu + gap * k / total
        self.m2 = self.m2 + var * k + gap**2 * self.n * k / total
        self.n = total

    def __call__(self, x):
        var = self.m2 / self.n
        scale = var + 1e-8 if FAULT == "f06" else np.sqrt(var + 1e-8)
        return np.clip((x - self.mu) / scale, -10, 10).astype(np.float32)


class GaussianActor(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mean = nn.Linear(64, n_act)
        with torch.no_grad():
            self.mean.weight.mul_(0.01)
            self.mean.bias.zero_()
        if FAULT == "f03":
            self.log_std = torch.full((n_act,), -0.3)
        else:
            self.log_std = nn.Parameter(torch.full((n_act,), -0.3))

    def forward(self, x):
        return Normal(self.mean(self.body(x)), self.log_std.exp())


def joint_logp(dist, act):
    each = dist.log_prob(act)
    return each.mean(-1) if FAULT == "f01" else each.sum(-1)


@dataclass
class Segment:
    """What one environment lived through between two cuts (an end of episode or of the rollout)."""

    seen: list = field(default_factory=list)
    did: list = field(default_factory=list)
    logp: list = field(default_factory=list)
    got: list = field(default_factory=list)
    after: np.ndarray | None = None
    died: bool = False


class Learner:
    gamma, lam, eps, max_kl = 0.98, 0.95, 0.2, 0.03
    n_envs, per_env, passes, minibatch = 8, 256, 8, 256

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        if FAULT == "f13":
            self.worlds = [gymnasium.make("Hover-v0")] * self.n_envs
        else:
            self.worlds = [gymnasium.make("Hover-v0") for _ in range(self.n_envs)]
        self.actor = GaussianActor(6, 2)
        self.critic = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.opt = torch.optim.Adam(
            [{"params": self.actor.parameters(), "lr": 5e-4}, {"params": self.critic.parameters(), "lr": 1e-3}], eps=1e-5
        )
        self.norm = RunningNorm(6)
        self.current = [w.reset(seed=seed * 100 + i)[0] for i, w in enumerate(self.worlds)]
        self.score = [0.0] * self.n_envs
        self.scores: list[float] = []

    def rollout(self):
        done_segments, open_segments = [], [Segment() for _ in self.worlds]
        for _ in range(self.per_env):
            raw = np.stack(self.current)
            self.norm.push(raw)
            seen = self.norm(raw)
            with torch.no_grad():
                dist = self.actor(torch.from_numpy(seen))
                act = dist.sample()
                logp = joint_logp(dist, act)
            act, logp = act.numpy(), logp.numpy()
            for i, world in enumerate(self.worlds):
                low = 0.0 if FAULT == "f11" else -1.0
                sent = np.clip(act[i], low, 1.0)
                obs, reward, terminated, truncated, _ = world.step(sent)
                self.score[i] += reward
                seg = open_segments[i]
                seg.seen.append(raw[i] if FAULT == "f05" else seen[i])
                seg.did.append(sent if FAULT == "f02" else act[i])
                seg.logp.append(logp[i])
                seg.got.append(np.sign(reward) if FAULT == "f09" else reward)
                if terminated or truncated:
                    seg.after, seg.died = self.norm(obs[None]), terminated
                    done_segments.append(seg)
                    open_segments[i] = Segment()
                    self.scores.append(self.score[i])
                    self.score[i] = 0.0
                    obs, _ = world.reset()
                self.current[i] = obs
        for i, seg in enumerate(open_segments):
            if seg.got:
                seg.after, seg.died = self.norm(self.current[i][None]), False
                done_segments.append(seg)
        return done_segments

    @torch.no_grad()
    def credit(self, seg):
        seen = torch.from_numpy(np.stack(seg.seen).astype(np.float32))
        value = self.critic(seen).squeeze(1).numpy()
        beyond = 0.0 if seg.died else self.critic(torch.from_numpy(seg.after)).item()
        following = np.append(value[1:], beyond)
        if FAULT == "f10":
            following = value
        delta = np.asarray(seg.got) + self.gamma * following - value
        adv, acc = np.zeros(len(delta)), 0.0
        for t in range(len(delta) - 1, -1, -1):
            acc = delta[t] + self.gamma * self.lam * acc
            adv[t] = acc
        return adv, value

    def learn(self, segments):
        credited = [self.credit(s) for s in segments]
        adv = np.concatenate([c[0] for c in credited])
        value = np.concatenate([c[1] for c in credited])
        if FAULT == "f07":
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            goal = adv + value
        else:
            goal = adv + value
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        f32 = lambda x: torch.as_tensor(np.asarray(x), dtype=torch.float32)
        seen, did = f32(np.concatenate([s.seen for s in segments])), f32(np.concatenate([s.did for s in segments]))
        logp, adv, goal = f32(np.concatenate([s.logp for s in segments])), f32(adv), f32(goal)
        for _ in range(self.passes):
            for rows in np.array_split(self.rng.permutation(len(adv)), len(adv) // self.minibatch):
                dist = self.actor(seen[rows])
                if FAULT == "f04":
                    dist = Normal(dist.loc, self.actor.log_std.exp() ** 2)
                diff = joint_logp(dist, did[rows]) - logp[rows]
                with torch.no_grad():
                    kl = (diff.exp() - 1 - diff).mean().item()
                if (kl < self.max_kl if FAULT == "f12" else kl > self.max_kl):
                    return kl
                gain = torch.minimum(diff.exp() * adv[rows], diff.exp().clip(1 - self.eps, 1 + self.eps) * adv[rows])
                miss = nn.functional.mse_loss(self.critic(seen[rows]).squeeze(1), goal[rows])
                if FAULT != "f08":
                    self.opt.zero_grad()
                (-gain.mean() + 0.5 * miss - 1e-3 * dist.entropy().sum(-1).mean()).backward()
                nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
                nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
                self.opt.step()
        return kl


def evaluate(learner, world, episodes=4):
    """The mean action, with the statistics of the training and without touching them."""
    results = []
    for _ in range(episodes):
        obs, _ = world.reset()
        over, total = False, 0.0
        while not over:
            x = obs if FAULT == "f14" else learner.norm(obs)
            with torch.no_grad():
                act = learner.actor(torch.from_numpy(x)).mean.numpy()
            obs, r, terminated, truncated, _ = world.step(np.clip(act, -1, 1))
            total += r
            over = terminated or truncated
        results.append(total)
    return float(np.mean(results))


def main():
    global FAULT
    cli = argparse.ArgumentParser()
    cli.add_argument("--seed", type=int, default=0)
    cli.add_argument("--steps", type=int, default=110_000)
    cli.add_argument("--fault", default="none")
    opts = cli.parse_args()
    FAULT = opts.fault
    torch.manual_seed(opts.seed)
    learner = Learner(opts.seed)
    held_out = gymnasium.make("Hover-v0")
    held_out.reset(seed=10_000 + opts.seed)
    rounds = max(1, opts.steps // (learner.n_envs * learner.per_env))
    for k in range(1, rounds + 1):
        kl = learner.learn(learner.rollout())
        if k % 8 == 0 or k == rounds:
            recent = np.mean(learner.scores[-30:]) if learner.scores else float("nan")
            print(f"[{k * 2048:>7}] episodes {recent:8.2f}   eval {evaluate(learner, held_out):8.2f}   kl {kl:.4f}   "
                  f"std {learner.actor.log_std.exp().mean().item():.3f}", flush=True)


if __name__ == "__main__":
    main()
