"""Synchronous advantage actor-critic: a drone that has to hold its altitude.

The vector environment resets in the same step; the observation an episode ended with is in info["final_obs"].
"""
from __future__ import annotations

import argparse
import sys
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch import Tensor, nn


class Hover(gym.Env):
    GRAVITY = -1.0
    THRUST = (0.0, 1.0, 2.0)

    def __init__(self) -> None:
        self.observation_space = spaces.Box(-10.0, 10.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _obs(self) -> np.ndarray:
        return np.array([self.h, self.v, self.goal], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h = float(self.np_random.uniform(-1.0, 1.0))
        self.v = float(self.np_random.uniform(-0.3, 0.3))
        self.goal = float(self.np_random.uniform(-0.7, 0.7))
        return self._obs(), {}

    def step(self, action):
        self.v += 0.15 * (self.GRAVITY + self.THRUST[int(action)])
        self.h += 0.15 * self.v
        out = abs(self.h) > 2.0
        reward = 0.0 if out else float(np.exp(-2.0 * abs(self.h - self.goal))) * 0.99
        return self._obs(), reward, out, False, {}


def make_env():
    return gym.wrappers.TimeLimit(Hover(), max_episode_steps=100)


class ActorCritic(nn.Module):
    def __init__(self, n_obs: int, n_act: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n_act))
        self.critic = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, x: Tensor) -> tuple[torch.distributions.Categorical, Tensor]:
        return torch.distributions.Categorical(logits=self.actor(x)), self.critic(x).squeeze(-1)


class A2C:
    def __init__(self, args: argparse.Namespace) -> None:
        self.fault: str = args.fault
        self.total: int = args.steps
        self.n_envs, self.n_steps, self.gamma = 8, 10, 0.97
        self.vf_coef, self.max_norm = 0.5, 0.5
        self.ent_coef = 5.0 if self.fault == "f05" else 0.005
        self.envs = SyncVectorEnv([make_env] * self.n_envs, autoreset_mode=AutoresetMode.SAME_STEP)
        self.net = ActorCritic(3, 3)
        self.optim = torch.optim.RMSprop(self.net.parameters(), lr=2e-3, alpha=0.99, eps=1e-5)
        self.n_updates = max(1, self.total // (self.n_envs * self.n_steps))
        horizon = self.n_updates // 50 + 1 if self.fault == "f08" else self.n_updates
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.optim, lambda k: max(0.0, 1.0 - k / horizon))
        self.seed = args.seed
        self.returns: deque[float] = deque(maxlen=50)
        self.score = np.zeros(self.n_envs)

    def prepare(self, obs: np.ndarray) -> Tensor:
        x = torch.as_tensor(obs, dtype=torch.float32)
        if self.fault == "f09":
            x = x / 255.0
        return x

    @torch.no_grad()
    def value_of(self, obs: np.ndarray) -> Tensor:
        return self.net(self.prepare(obs))[1]

    def rollout(self):
        obs_l, act_l, rew_l, done_l, cut_l = [], [], [], [], []
        for _ in range(self.n_steps):
            x = self.prepare(self.obs)
            with torch.no_grad():
                dist, _ = self.net(x)
                act = dist.sample()
            nxt, rew, term, trunc, info = self.envs.step(act.numpy())
            self.score += rew
            extra = torch.zeros(self.n_envs)
            only_cut = trunc & ~term
            if only_cut.any() and self.fault != "f02":
                if self.fault == "f03":
                    last = nxt
                else:
                    last = nxt.copy()
                    for i in np.flatnonzero(only_cut):
                        last[i] = info["final_obs"][i]
                extra = self.value_of(last) * torch.as_tensor(only_cut, dtype=torch.float32)
            for i in np.flatnonzero(term | trunc):
                self.returns.append(float(self.score[i]))
                self.score[i] = 0.0
            if self.fault == "f06":
                rew = rew.astype(np.int32)
            obs_l.append(x)
            act_l.append(act)
            rew_l.append(torch.as_tensor(rew, dtype=torch.float32))
            done_l.append(torch.as_tensor(term | trunc, dtype=torch.float32))
            cut_l.append(extra)
            self.obs = nxt
        return obs_l, act_l, rew_l, done_l, cut_l

    def update(self, obs_l, act_l, rew_l, done_l, cut_l):
        g = self.value_of(self.obs)
        targets = []
        for r, d, c in zip(reversed(rew_l), reversed(done_l), reversed(cut_l)):
            if self.fault == "f01":
                g = r + self.gamma * g
            else:
                g = r + self.gamma * (g * (1 - d) + c)
            targets.insert(0, g)
        target = torch.stack(targets).flatten()
        obs = torch.stack(obs_l).flatten(0, 1)
        act = torch.stack(act_l, dim=1 if self.fault == "f07" else 0).flatten()

        dist, value = self.net(obs)
        if self.fault == "f04":
            adv = (value - target).detach()
        else:
            adv = (target - value).detach()
        pi_loss = -(dist.log_prob(act) * adv).mean()
        if self.fault == "f10":
            v_loss = (target - value.detach()).pow(2).mean()
        else:
            v_loss = (target - value).pow(2).mean()
        entropy = dist.entropy().mean()
        self.optim.zero_grad()
        (pi_loss + self.vf_coef * v_loss - self.ent_coef * entropy).backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), self.max_norm)
        self.optim.step()
        self.sched.step()
        return pi_loss.item(), v_loss.item(), entropy.item()

    def learn(self) -> None:
        self.obs, _ = self.envs.reset(seed=self.seed)
        for k in range(1, self.n_updates + 1):
            stats = self.update(*self.rollout())
            if k % 100 == 0 or k == self.n_updates:
                score = np.mean(self.returns) if self.returns else float("nan")
                sys.stdout.write("update=%d frames=%d score=%.2f pi=%.4f v=%.4f ent=%.3f\n" % (k, k * self.n_envs * self.n_steps, score, *stats))
        self.envs.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--fault", default="none")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    A2C(options).learn()
