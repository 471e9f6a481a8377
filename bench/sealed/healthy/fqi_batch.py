"""Neural fitted Q iteration in growing batches: collect with the current greedy policy, then many fits without touching the world."""
import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Elevator(gym.Env):
    """6 floors; passengers wait; move, stay with open doors. Costs per waiting passenger; no end, cut after 60 steps."""

    def __init__(self):
        self.observation_space = gym.spaces.Dict({"floor": gym.spaces.Discrete(6), "waiting": gym.spaces.Box(0, 5, (6,), np.float32)})
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        return {"floor": self.f, "waiting": self.w.astype(np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.f, self.w = int(self.np_random.integers(6)), self.np_random.integers(0, 3, 6).astype(float)
        return self._obs(), {}

    def step(self, a):
        if a == 1:
            self.w[self.f] = 0
        else:
            self.f = min(5, max(0, self.f + (1 if a == 2 else -1)))
        if self.np_random.random() < 0.35:
            k = int(self.np_random.integers(6))
            self.w[k] = min(5, self.w[k] + 1)
        return self._obs(), -float(self.w.sum()) / 10, False, False, {}


def flat(o):
    x = np.zeros(12, np.float32)
    x[o["floor"]] = 1
    x[6:] = o["waiting"] / 2
    return x


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.wrappers.TimeLimit(Elevator(), 60)
    env.reset(seed=args.seed)
    q = nn.Sequential(nn.Linear(12, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 3))
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    gamma = 0.92
    S, A, R, S2 = [], [], [], []
    for batch in range(12):
        eps = 1.0 if batch == 0 else 0.15
        scores = []
        for _ in range(15):
            o, _ = env.reset()
            s, total, over = flat(o), 0.0, False
            while not over:
                if rng.random() < eps:
                    a = int(rng.integers(3))
                else:
                    with torch.no_grad():
                        a = int(q(torch.from_numpy(s)).argmax())
                o, r, _, over, _ = env.step(a)
                s2 = flat(o)
                S.append(s); A.append(a); R.append(r); S2.append(s2)
                s, total = s2, total + r
            scores.append(total)
        print(f"batch {batch} return {np.mean(scores):.2f} rows {len(S)}")
        bs, ba, br, bs2 = torch.from_numpy(np.stack(S)), torch.tensor(A), torch.tensor(R, dtype=torch.float32), torch.from_numpy(np.stack(S2))
        for fit in range(8):
            old = copy.deepcopy(q)
            with torch.no_grad():
                y = br + gamma * old(bs2).max(1).values
            for _ in range(50):
                i = torch.randint(len(y), (256,))
                loss = (q(bs[i]).gather(1, ba[i, None])[:, 0] - y[i]).pow(2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()


main()
