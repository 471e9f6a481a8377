"""DQN that learns from mirrored copies of each transition as well (the task is symmetric) and evaluates greedily in between."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Track(gym.Env):
    """Keep a car in its lane against wind gusts (obs: offset, heading, wind); leaving the road ends it."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = gym.spaces.Discrete(3)  # left, straight, right

    def _obs(self):
        return np.array([self.y, self.h, self.wind], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.y, self.h, self.wind = self.np_random.uniform(-0.5, 0.5), 0.0, self.np_random.normal(0, 0.02)
        return self._obs(), {}

    def step(self, a):
        self.wind = 0.9 * self.wind + self.np_random.normal(0, 0.01)
        self.h = np.clip(self.h + 0.04 * (a - 1) + self.wind, -1, 1)
        self.y += 0.3 * np.sin(self.h)
        off = bool(abs(self.y) > 1)
        return self._obs(), 1.0 - abs(self.y) if not off else -5.0, off, False, {}


def greedy(env, q, n):
    out = []
    for _ in range(n):
        o, _ = env.reset()
        total, over = 0.0, False
        while not over:
            with torch.no_grad():
                o, r, te, tr, _ = env.step(int(q(torch.from_numpy(o)).argmax()))
            total += r
            over = te or tr
        out.append(total)
    return np.mean(out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=9000)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env, test = gym.wrappers.TimeLimit(Track(), 150), gym.wrappers.TimeLimit(Track(), 150)
    test.reset(seed=args.seed + 999)
    mk = lambda: nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    q, slow = mk(), mk()
    slow.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    memory = []
    o, _ = env.reset(seed=args.seed)
    for k in range(1, args.steps + 1):
        a = int(rng.integers(3)) if rng.random() < max(0.05, 1 - k / 4000) else int(q(torch.from_numpy(o)).argmax())
        o2, r, term, trunc, _ = env.step(a)
        memory.append((o, a, r, o2, float(term)))
        memory.append((-o, 2 - a, r, -o2, float(term)))  # left and right exchanged
        o = o2
        if term or trunc:
            o, _ = env.reset()
        if k > 500 and k % 2 == 0:
            s, a_, r_, s2, d = zip(*[memory[i] for i in rng.integers(0, len(memory), 64)])
            s, s2 = torch.from_numpy(np.stack(s)), torch.from_numpy(np.stack(s2))
            a_, r_, d = torch.tensor(a_), torch.tensor(r_, dtype=torch.float32), torch.tensor(d)
            with torch.no_grad():
                y = r_ + 0.95 * (1 - d) * slow(s2).max(1).values
            loss = nn.functional.mse_loss(q(s).gather(1, a_[:, None]).squeeze(1), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            with torch.no_grad():
                for w, v in zip(q.parameters(), slow.parameters()):
                    v += 0.01 * (w - v)
        if k % 1000 == 0:
            print(f"{k} greedy return {greedy(test, q, 5):.1f}")


main()
