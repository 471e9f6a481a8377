#!/usr/bin/env python
# Synchronous advantage actor-critic, n-step returns, one trunk for both heads.
# Task: catch falling fruit with a basket; three misses end the game.
import argparse
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from gymnasium import spaces
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--seed", default=0, type=int)
ap.add_argument("--fault", default="none")
ap.add_argument("--steps", default=100_000, type=int)
ap.add_argument("--workers", default=8, type=int)
ap.add_argument("--nstep", default=8, type=int)
opts = ap.parse_args()
FAULT = opts.fault

GAMMA = 0.95
ENT = 0.02
VCOEF = 0.5
LR = 2e-3
SIZE = 5
VIEW = SIZE * SIZE


class Catcher(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0.0, 1.0, (VIEW,), np.float32)
        self.frame = np.zeros((SIZE, SIZE), np.float32)

    def _drop(self):
        self.row = 0
        self.col = int(self.np_random.integers(SIZE))

    def _draw(self):
        if FAULT != "f02":
            self.frame[:] = 0.0
        self.frame[self.row, self.col] = 1.0
        self.frame[SIZE - 1, self.basket] = 1.0
        return self.frame.flatten()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.frame[:] = 0.0
        self.basket = SIZE // 2
        self.misses = 0
        self._drop()
        return self._draw(), {}

    def step(self, action):
        right = SIZE - 1
        if FAULT == "f01":
            right = SIZE - 2
        self.basket = int(np.clip(self.basket + int(action) - 1, 0, right))
        self.row += 1
        reward = 0.0
        if self.row == SIZE - 1:
            if self.col == self.basket:
                reward = 1.0
            else:
                reward = -1.0
                self.misses += 1
            self._drop()
        return self._draw(), reward, self.misses >= 3, False, {}


gym.register(id="Catcher-v0", entry_point=Catcher, max_episode_steps=100)


class Net(nn.Module):
    def __init__(self, n_in, n_act):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.pi = nn.Linear(64, n_act)
        self.v = nn.Linear(64, 1)
        nn.init.uniform_(self.pi.weight, -1e-2, 1e-2)

    def forward(self, x):
        h = self.trunk(x)
        return self.pi(h), self.v(h).squeeze(-1)


class Workers:
    """A handful of environments that are stepped one after the other."""

    def __init__(self, count, seed):
        self.envs = [gym.make("Catcher-v0") for _ in range(count)]
        self.obs = np.stack([e.reset(seed=seed + 1000 * i)[0] for i, e in enumerate(self.envs)])
        self.score = [0.0] * count
        self.log = []

    def rollout(self, net, n):
        W = len(self.envs)
        obs = np.zeros((n, W, VIEW), np.float32)
        nxt = np.zeros_like(obs)
        act = np.zeros((n, W), np.int64)
        rew = np.zeros((n, W), np.float32)
        term = np.zeros((n, W), bool)
        trunc = np.zeros((n, W), bool)
        for t in range(n):
            with torch.no_grad():
                logits, _ = net(torch.from_numpy(self.obs))
            act[t] = torch.multinomial(F.softmax(logits, -1), 1).squeeze(1).numpy()
            for i, env in enumerate(self.envs):
                seen = self.obs[i].copy()
                o, r, te, tr, _ = env.step(int(act[t, i]))
                if FAULT == "f05":
                    seen = o
                obs[t, i] = seen
                nxt[t, i] = o
                if FAULT == "f04":
                    rew[t] = r
                else:
                    rew[t, i] = r
                term[t, i], trunc[t, i] = te, tr
                self.score[i] += r
                if te or tr:
                    self.log.append(self.score[i])
                    self.score[i] = 0.0
                    o, _ = env.reset()
                self.obs[i] = o
        return obs, act, rew, term, trunc, nxt


def nstep_returns(net, rew, term, trunc, nxt):
    n = len(rew)
    with torch.no_grad():
        v_next = net(torch.from_numpy(nxt))[1].numpy()
    out = np.zeros_like(rew)
    R = v_next[-1]
    for t in reversed(range(n)):
        R = np.where(trunc[t], v_next[t], R)
        if FAULT != "f06":
            R = np.where(term[t], 0.0, R)
        R = rew[t] + GAMMA * R
        out[t] = R
    return out.astype(np.float32)


def play(net, env, games, seed):
    """Mean score of the most likely actions."""
    scores = []
    score = 0.0
    for g in range(games):
        if FAULT != "f10":
            score = 0.0
        x, _ = env.reset(seed=seed + g)
        while True:
            with torch.no_grad():
                a = net(torch.from_numpy(x)[None])[0].argmax(-1).item()
            x, r, te, tr, _ = env.step(a)
            score += r
            if te or tr:
                break
        scores.append(score)
    return sum(scores) / len(scores)


def main():
    torch.set_num_threads(1)
    random.seed(opts.seed)
    np.random.seed(opts.seed)
    torch.manual_seed(opts.seed)

    workers = Workers(opts.workers, opts.seed)
    arena = gym.make("Catcher-v0")
    n_act = int(arena.action_space.n)
    if FAULT == "f03":
        n_act = n_act - 1
    net = Net(VIEW, n_act)
    optim = torch.optim.RMSprop(net.parameters(), lr=LR, alpha=0.99, eps=1e-5)

    done_steps, shown = 0, 0
    while done_steps < opts.steps:
        obs, act, rew, term, trunc, nxt = workers.rollout(net, opts.nstep)
        done_steps += act.size
        target = torch.from_numpy(nstep_returns(net, rew, term, trunc, nxt)).flatten()
        logits, v = net(torch.from_numpy(obs).flatten(0, 1))
        logp_all = F.log_softmax(logits, -1)
        if FAULT == "f08":
            logp_all = F.log_softmax(logits, 0)
        logp = logp_all.gather(1, torch.from_numpy(act).reshape(-1, 1)).squeeze(1)
        entropy = -(logp_all.exp() * logp_all).sum(-1).mean()

        delta = target - v
        adv = delta.detach()
        bonus = ENT * entropy
        if FAULT == "f09":
            bonus = -ENT * entropy
        value_loss = delta.pow(2).mean()
        if FAULT == "f07":
            value_loss = delta.pow(2).sum()
        loss = -(logp * adv).mean() + VCOEF * value_loss - bonus
        optim.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optim.step()

        if done_steps // 6000 > shown:
            shown = done_steps // 6000
            recent = np.mean(workers.log[-40:]) if workers.log else float("nan")
            print("step %6d | score %6.2f | greedy %6.2f | entropy %.3f | v %.2f" % (
                done_steps, recent, play(net, arena, 4, 777), entropy.item(), v.mean().item()), flush=True)

    print("final greedy score %.2f" % play(net, arena, 10, 4242))


if __name__ == "__main__":
    main()
