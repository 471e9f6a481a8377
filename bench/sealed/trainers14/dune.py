#!/usr/bin/env python
# Advantage actor-critic on Acrobot, synchronous workers.
import argparse
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class ActorCritic(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n))
        self.vf = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.pi(x), self.vf(x)[..., 0]


class Storage:
    def __init__(self):
        self.clear()

    def clear(self):
        self.obs, self.act, self.rew, self.end = [], [], [], []

    def add(self, obs, act, rew, end):
        self.obs.append(obs)
        self.act.append(act)
        self.rew.append(rew)
        self.end.append(end)

    def tensors(self):
        f = lambda x, t=torch.float32: torch.as_tensor(np.asarray(x), dtype=t)
        return f(self.obs), f(self.act, torch.long), f(self.rew), f(self.end)


class A2C:
    gamma = 0.99
    lr = 1e-3
    n_step = 16
    n_env = 12
    beta = 0.01
    value_weight = 0.5

    def __init__(self, opts):
        self.opts = opts
        self.envs = [gym.make("Acrobot-v1") for _ in range(self.n_env)]
        self.net = ActorCritic(6, 3)
        if opts.fault == "f04":
            self.optimizer = torch.optim.Adam(self.net.pi.parameters(), lr=self.lr)
        else:
            self.optimizer = torch.optim.Adam(self.net.parameters(), lr=self.lr)
        self.store = Storage()
        self.history = deque(maxlen=30)

    @torch.no_grad()
    def choose(self, obs):
        logits, _ = self.net(torch.as_tensor(obs))
        if self.opts.fault == "f01":
            return logits.argmax(-1).numpy()
        return torch.distributions.Categorical(logits=logits).sample().numpy()

    @torch.no_grad()
    def value_of(self, obs):
        return self.net(torch.as_tensor(obs, dtype=torch.float32))[1]

    def targets(self, obs, rew, end, now):
        if self.opts.fault == "f03":
            run = self.value_of(obs[0])
        else:
            run = self.value_of(now)
        out = torch.zeros_like(rew)
        for i in reversed(range(self.n_step)):
            run = rew[i] + self.gamma * run * (1 - end[i])
            out[i] = run
        return out

    def update(self, now):
        obs, act, rew, end = self.store.tensors()
        ret = self.targets(obs, rew, end, now)
        logits, val = self.net(obs)
        dist = torch.distributions.Categorical(logits=logits)
        gap = ret - val
        weight = gap if self.opts.fault == "f02" else gap.detach()
        actor = -(dist.log_prob(act) * weight).mean()
        critic = gap.pow(2).mean()
        entropy = dist.entropy().mean()
        loss = actor + self.value_weight * critic - self.beta * entropy
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.pi.parameters(), 0.5)
        nn.utils.clip_grad_norm_(self.net.vf.parameters(), 20.0)
        self.optimizer.step()
        self.store.clear()
        return actor.item(), critic.item(), entropy.item()

    def train(self):
        obs = np.stack([e.reset(seed=self.opts.seed * 50 + k)[0] for k, e in enumerate(self.envs)])
        returns = np.zeros(self.n_env)
        steps = updates = 0
        while steps < self.opts.steps:
            for _ in range(self.n_step):
                act = self.choose(obs)
                rew = np.zeros(self.n_env, np.float32)
                end = np.zeros(self.n_env, np.float32)
                nxt = np.empty_like(obs)
                for k, env in enumerate(self.envs):
                    o, r, terminated, truncated, _ = env.step(int(act[k]))
                    returns[k] += r
                    rew[k] = r
                    if terminated or truncated:
                        if truncated and not terminated:
                            rew[k] += self.gamma * self.value_of(o).item()
                        end[k] = 1.0
                        self.history.append(returns[k])
                        returns[k] = 0
                        o, _ = env.reset()
                    nxt[k] = o
                self.store.add(nxt if self.opts.fault == "f05" else obs, act, rew, end)
                obs = nxt
                steps += self.n_env
            a, c, h = self.update(obs)
            updates += 1
            if updates % 50 == 0:
                avg = np.mean(self.history) if self.history else float("nan")
                print("steps=%d return=%.1f actor=%.4f critic=%.3f entropy=%.3f" % (steps, avg, a, c, h), flush=True)


def main():
    parser = argparse.ArgumentParser(description="A2C")
    parser.add_argument("--steps", type=int, default=180000, help="environment steps, all workers together")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--fault", type=str, default="")
    opts = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(opts.seed)
    np.random.seed(opts.seed)
    A2C(opts).train()


if __name__ == "__main__":
    main()
