"""Dueling double DQN, one-step, uniform replay, conv net on a grid image with frame stacking."""
import argparse
import collections
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from gymnasium.wrappers import FrameStackObservation


class Catch(gym.Env):
    """A ball falls through an 8x6 image, drifting sideways; a paddle of one pixel must be below it. +1 or -1 at the end."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(0, 255, (8, 6), np.uint8)
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        img = np.zeros((8, 6), np.uint8)
        img[self.row, self.col] = 255
        img[7, self.pad] = 128
        return img

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row, self.col, self.pad = 0, int(self.np_random.integers(6)), 3
        self.drift = int(self.np_random.integers(-1, 2))
        return self._obs(), {}

    def step(self, a):
        self.pad = min(5, max(0, self.pad + a - 1))
        if self.row % 2:
            if not 0 <= self.col + self.drift <= 5:
                self.drift = -self.drift
            self.col += self.drift
        self.row += 1
        done = self.row == 7
        return self._obs(), (1.0 if self.col == self.pad else -1.0) if done else 0.0, done, False, {}


class Dueling(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(2, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten())
        self.adv = nn.Sequential(nn.Linear(16 * 4 * 3, 64), nn.ReLU(), nn.Linear(64, 3))
        self.val = nn.Sequential(nn.Linear(16 * 4 * 3, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        h = self.conv(x.float() / 255.0)
        a = self.adv(h)
        return self.val(h) + a - a.mean(1, keepdim=True)


class Prioritized:  # alpha 0: uniform
    def __init__(self, cap, alpha=0.0):
        self.cap, self.alpha, self.data, self.p, self.i = cap, alpha, [], np.zeros(cap), 0

    def add(self, item):
        p = self.p[:len(self.data)].max() if self.data else 1.0
        if len(self.data) < self.cap:
            self.data.append(item)
        else:
            self.data[self.i] = item
        self.p[self.i] = p
        self.i = (self.i + 1) % self.cap

    def sample(self, rng, n, beta):
        w = self.p[:len(self.data)] ** self.alpha
        prob = w / w.sum()
        idx = rng.choice(len(self.data), n, p=prob)
        weight = (len(self.data) * prob[idx]) ** -beta
        return idx, [self.data[i] for i in idx], torch.from_numpy((weight / weight.max()).astype(np.float32))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=7000)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = FrameStackObservation(Catch(), 2)
    online, target = Dueling(), Dueling()
    target.load_state_dict(online.state_dict())
    opt = torch.optim.Adam(online.parameters(), lr=5e-4)
    mem, N, gamma = Prioritized(8000), 1, 0.98
    pending = collections.deque()
    s, _ = env.reset(seed=args.seed)
    hist, score = [], 0.0
    for step in range(args.steps):
        if rng.random() < max(0.03, 1 - step / 4000):
            a = int(rng.integers(3))
        else:
            with torch.no_grad():
                a = int(online(torch.from_numpy(s)[None]).argmax())
        s2, r, term, trunc, _ = env.step(a)
        score += r
        pending.append((s, a, r))
        if len(pending) == N and not term:
            R = sum(gamma ** k * x[2] for k, x in enumerate(pending))
            mem.add((pending[0][0], pending[0][1], R, s2, gamma ** N))
            pending.popleft()
        if term:
            while pending:  # the rest of the episode: shorter and without a bootstrap
                R = sum(gamma ** k * x[2] for k, x in enumerate(pending))
                mem.add((pending[0][0], pending[0][1], R, s2, 0.0))
                pending.popleft()
            hist.append(score)
            score = 0.0
            s2, _ = env.reset()
        s = s2
        if step > 500 and step % 2 == 0:
            idx, rows, w = mem.sample(rng, 32, 0.4 + 0.6 * step / args.steps)
            S, A, R, S2, G = zip(*rows)
            S, S2 = torch.from_numpy(np.stack(S)), torch.from_numpy(np.stack(S2))
            A, R, G = torch.tensor(A), torch.tensor(R, dtype=torch.float32), torch.tensor(G, dtype=torch.float32)
            with torch.no_grad():
                best = online(S2).argmax(1, keepdim=True)
                y = R + G * target(S2).gather(1, best)[:, 0]
            q = online(S).gather(1, A[:, None])[:, 0]
            loss = (w * F.smooth_l1_loss(q, y, reduction="none")).mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(online.parameters(), 10.0)
            opt.step()
            mem.p[idx] = (q - y).abs().detach().numpy() + 1e-3
        if step % 250 == 0:
            target.load_state_dict(online.state_dict())
        if step % 1000 == 999:
            print(f"{step + 1} return {np.mean(hist[-60:]):.2f}")


main()
