"""OpenAI-style evolution strategy: antithetic noise, rank shaping, Adam fed with hand-made gradients; evaluation of the mean."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Lift(gym.Env):
    """Balance a ball on a beam with a continuous tilt; +1 while it stays on. Ends when it falls; 200 steps at most."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = self.np_random.uniform(-0.4, 0.4, 3)
        return self.s.astype(np.float32), {}

    def step(self, a):
        x, v, th = self.s
        th = np.clip(th + 0.1 * float(np.clip(a[0], -1, 1)), -0.6, 0.6)
        v += 0.2 * np.sin(th) + self.np_random.normal(0, 0.01)
        x += 0.2 * v
        self.s = np.array([x, v, th])
        return self.s.astype(np.float32), 1.0, bool(abs(x) > 1), False, {}


def play(env, net):
    o, _ = env.reset()
    total, over = 0.0, False
    while not over:
        with torch.no_grad():
            a = torch.tanh(net(torch.from_numpy(o))).numpy()
        o, r, term, trunc, _ = env.step(a)
        total += r
        over = term or trunc
    return total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--generations", type=int, default=40)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = gym.wrappers.TimeLimit(Lift(), 200)
    env.reset(seed=args.seed)
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    opt = torch.optim.Adam(net.parameters(), lr=0.05)
    params = list(net.parameters())
    sigma, pairs = 0.2, 10
    for g in range(args.generations):
        base = [p.detach().clone() for p in params]
        noises, scores = [], []
        for _ in range(pairs):
            eps = [torch.randn_like(p) for p in params]
            for sign in (1, -1):
                with torch.no_grad():
                    for p, b, e in zip(params, base, eps):
                        p.copy_(b + sign * sigma * e)
                noises.append([sign * e for e in eps])
                scores.append(play(env, net))
        ranks = np.argsort(np.argsort(scores)) / (len(scores) - 1) - 0.5
        with torch.no_grad():
            for k, (p, b) in enumerate(zip(params, base)):
                p.copy_(b)
                p.grad = -sum(float(w) * n[k] for w, n in zip(ranks, noises)) / (len(scores) * sigma)
        opt.step()
        if g % 4 == 3:
            print(f"generation {g + 1} population {np.mean(scores):.1f} mean policy {play(env, net):.0f}")


main()
