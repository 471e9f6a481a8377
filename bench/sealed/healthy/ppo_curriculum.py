"""PPO with a curriculum: the maze of beacons gets wider whenever the agent manages it, so returns need not rise."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal


class Beacon(gym.Env):
    """Fly to a beacon at up to `reach` metres. -0.1 a step, +5 there; lost beyond 12 metres (-5)."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.reach = 1.0

    def _obs(self):
        return np.concatenate([(self.goal - self.pos) / 3, self.vel * 3]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        angle, far = self.np_random.uniform(0, 2 * np.pi), self.np_random.uniform(0.5, self.reach)
        self.pos, self.vel = np.zeros(2), np.zeros(2)
        self.goal = far * np.array([np.cos(angle), np.sin(angle)])
        return self._obs(), {}

    def step(self, a):
        self.vel = 0.7 * self.vel + 0.1 * np.clip(a, -1, 1)
        self.pos = self.pos + self.vel
        if np.linalg.norm(self.goal - self.pos) < 0.4:
            return self._obs(), 5.0, True, False, {}
        if np.linalg.norm(self.pos) > 12:
            return self._obs(), -5.0, True, False, {}
        return self._obs(), -0.1, False, False, {}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
        self.c = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.s = nn.Parameter(torch.full((2,), -0.3))

    def pi(self, x):
        return Normal(self.a(x), self.s.exp())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    base = Beacon()
    env = gym.wrappers.TimeLimit(base, 100)
    m = Model()
    opt = torch.optim.Adam(m.parameters(), lr=6e-4)
    T, gamma, lam = 1000, 0.98, 0.95
    o, _ = env.reset(seed=args.seed)
    ret, hist, wins = 0.0, [], []
    for it in range(40):
        rows = []
        for _ in range(T):
            x = torch.from_numpy(o)
            with torch.no_grad():
                d = m.pi(x)
                a = d.sample()
                lp = d.log_prob(a).sum()
            o2, r, term, cut, _ = env.step(a.numpy())
            rows.append((x, a, lp, torch.tensor(r), torch.from_numpy(o2), torch.tensor(float(term)), torch.tensor(float(term or cut))))
            ret += r
            o = o2
            if term or cut:
                hist.append(ret)
                wins.append(r == 5.0)
                ret = 0.0
                o, _ = env.reset()
        X, A, LP, R, X2, TE, EN = (torch.stack(z) for z in zip(*rows))
        with torch.no_grad():
            v, v2 = m.c(X)[:, 0], m.c(X2)[:, 0]
        delta = R + gamma * (1 - TE) * v2 - v
        adv, g = torch.zeros(T), torch.tensor(0.0)
        for t in reversed(range(T)):
            g = delta[t] + gamma * lam * (1 - EN[t]) * g
            adv[t] = g
        y = adv + v
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(8):
            for i in torch.randperm(T).split(125):
                d = m.pi(X[i])
                ratio = (d.log_prob(A[i]).sum(-1) - LP[i]).exp()
                loss = -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean()
                loss = loss + 0.5 * (m.c(X[i])[:, 0] - y[i]).pow(2).mean() - 1e-3 * d.entropy().sum(-1).mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(m.parameters(), 0.5)
                opt.step()
        if len(wins) >= 20 and np.mean(wins[-20:]) > 0.85:
            base.reach = min(8.0, base.reach + 0.75)
        if it % 4 == 3:
            print(f"it {it + 1} reach {base.reach:.2f} return {np.mean(hist[-20:]):.2f} wins {np.mean(wins[-20:]):.2f}")


main()
