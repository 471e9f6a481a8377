"""Categorical DQN (C51) with a small convolutional net: find the door, keep out of the pits."""
from __future__ import annotations

import argparse
import copy
import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class PitGrid(gym.Env):
    """5x5 image, height x width x (agent, door, pits), uint8."""

    SIZE = 5
    PITS = {(1, 1), (1, 3), (3, 2)}

    def __init__(self, max_steps: int = 30, fault: str = ""):
        self.max_steps = max_steps
        self.observation_space = gym.spaces.Box(0, 255, (self.SIZE, self.SIZE, 3), np.uint8)
        self.action_space = gym.spaces.Discrete(4)
        if fault == "f06":
            self.moves = [(-1, 0), (1, 0), (0, 1), (0, 1)]
        else:
            self.moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]

    def image(self) -> np.ndarray:
        img = np.zeros((self.SIZE, self.SIZE, 3), np.uint8)
        img[self.agent[0], self.agent[1], 0] = 255
        img[self.door[0], self.door[1], 1] = 255
        for r, c in self.PITS:
            img[r, c, 2] = 255
        return img

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        last = self.SIZE - 1
        self.door = [(0, 0), (0, last), (last, 0), (last, last)][self.np_random.integers(4)]
        free = [(r, c) for r in range(self.SIZE) for c in range(self.SIZE) if (r, c) not in self.PITS and (r, c) != self.door]
        self.agent = free[self.np_random.integers(len(free))]
        self.t = 0
        return self.image(), {}

    def step(self, action):
        dr, dc = self.moves[int(action)]
        last = self.SIZE - 1
        self.agent = (min(max(self.agent[0] + dr, 0), last), min(max(self.agent[1] + dc, 0), last))
        self.t += 1
        reward, terminated = -0.02, False
        if self.agent == self.door:
            reward, terminated = 1.0, True
        elif self.agent in self.PITS:
            reward, terminated = -1.0, True
        return self.image(), reward, terminated, not terminated and self.t >= self.max_steps, {}


class Net(nn.Module):
    def __init__(self, actions: int, atoms: int, fault: str):
        super().__init__()
        self.actions, self.atoms, self.fault = actions, atoms, fault
        self.conv = nn.Conv2d(3, 24, 3)
        self.fc = nn.Linear(24 * 3 * 3, 96)
        self.head = nn.Linear(96, actions * atoms)

    def logits(self, img: torch.Tensor) -> torch.Tensor:
        x = img.float() / 255.0
        if self.fault == "f02":
            x = x.reshape(-1, 3, PitGrid.SIZE, PitGrid.SIZE)
        else:
            x = x.permute(0, 3, 1, 2).contiguous()
        x = F.relu(self.conv(x))
        x = F.relu(self.fc(x.flatten(1)))
        return self.head(x).view(-1, self.actions, self.atoms)

    def log_probs(self, img: torch.Tensor) -> torch.Tensor:
        return F.log_softmax(self.logits(img), dim=1 if self.fault == "f03" else 2)


class Memory:
    def __init__(self, size: int, shape, fault: str):
        self.size, self.n, self.i = size, 0, 0
        self.s = np.empty((size, *shape), np.uint8)
        self.s2 = np.empty((size, *shape), np.uint8)
        self.a = np.empty(size, np.int64)
        self.r = np.empty(size, np.int8 if fault == "f05" else np.float32)
        self.end = np.empty(size, np.float32)

    def store(self, s, a, r, s2, end):
        k = self.i
        self.s[k], self.a[k], self.r[k], self.s2[k], self.end[k] = s, a, r, s2, end
        self.i = (k + 1) % self.size
        self.n = min(self.n + 1, self.size)

    def draw(self, count: int, rng):
        k = rng.integers(0, self.n, count)
        t = torch.from_numpy
        return t(self.s[k]), t(self.a[k]), t(self.r[k]).float(), t(self.s2[k]), t(self.end[k])


def project(p_next, reward, end, support, gamma, fault):
    """The distribution of reward + gamma * Z on the fixed support."""
    v_min, v_max, n = support[0], support[-1], len(support)
    dz = support[1] - support[0]
    tz = (reward[:, None] + gamma * (1.0 - end[:, None]) * support[None]).clamp(v_min, v_max)
    b = (tz - v_min) / dz
    lo, up = b.floor().long().clamp(0, n - 1), b.ceil().long().clamp(0, n - 1)
    w_lo, w_up = up.float() - b, b - lo.float()
    if fault != "f01":
        w_lo = w_lo + (lo == up).float()
    out = torch.zeros_like(p_next)
    out.scatter_add_(1, lo, p_next * w_lo)
    out.scatter_add_(1, up, p_next * w_up)
    return out


def greedy(net, support, img) -> int:
    with torch.no_grad():
        q = (net.log_probs(torch.from_numpy(img)[None]).exp() * support).sum(2)
    return int(q.argmax(1))


def test(net, support, env, episodes: int) -> tuple[float, float]:
    scores, wins = [], 0
    for _ in range(episodes):
        s, _ = env.reset()
        total, over = 0.0, False
        while not over:
            s, r, term, trunc, _ = env.step(greedy(net, support, s))
            total += r
            over = term or trunc
        wins += r == 1.0
        scores.append(total)
    return float(np.mean(scores)), wins / episodes


def run(args):
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(args.seed)
    env = PitGrid(fault=args.fault)
    test_env = env if args.fault == "f04" else PitGrid(fault=args.fault)
    test_env.reset(seed=args.seed + 5000)

    support = torch.linspace(-2.0, 2.0, args.atoms)
    net = Net(4, args.atoms, args.fault)
    frozen = copy.deepcopy(net).requires_grad_(False)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr, eps=1e-4)
    memory = Memory(args.memory, env.observation_space.shape, args.fault)

    s, _ = env.reset(seed=args.seed)
    total, returns, updates, began = 0.0, [], 0, time.time()
    loss = torch.tensor(float("nan"))
    for step in range(args.steps):
        eps = max(0.05, 1.0 - step / (0.4 * args.steps))
        a = int(rng.integers(4)) if rng.random() < eps else greedy(net, support, s)
        s2, r, term, trunc, _ = env.step(a)
        memory.store(s, a, r, s2, float(term))
        total += r
        s = s2
        if term or trunc:
            returns.append(total)
            total = 0.0
            s, _ = env.reset()

        if step >= args.warmup and step % args.train_every == 0:
            bs, ba, br, bs2, bend = memory.draw(args.batch, rng)
            with torch.no_grad():
                p2 = frozen.log_probs(bs2).exp()
                best = (p2 * support).sum(2).argmax(1)
                p2 = p2[torch.arange(args.batch), best]
                goal = project(p2, br, bend, support, args.gamma, args.fault)
            logp = net.log_probs(bs)[torch.arange(args.batch), ba]
            loss = -(goal * logp).sum(1).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            updates += 1
            if updates % args.sync == 0:
                frozen.load_state_dict(net.state_dict())

        if (step + 1) % 1000 == 0:
            print(f"step {step + 1} | train return {np.mean(returns[-60:]):.3f} | loss {loss.item():.3f} | eps {eps:.2f} | {time.time() - began:.1f} s", flush=True)
        if (step + 1) % 500 == 0:
            score, wins = test(net, support, test_env, 10)
            print(f"step {step + 1} | TEST return {score:.3f} wins {wins:.0%}", flush=True)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=22_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="")
    ap.add_argument("--gamma", type=float, default=0.95)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--atoms", type=int, default=33)
    ap.add_argument("--memory", type=int, default=20_000)
    ap.add_argument("--warmup", type=int, default=1_000)
    ap.add_argument("--train-every", type=int, default=2)
    ap.add_argument("--sync", type=int, default=100)
    run(ap.parse_args())
