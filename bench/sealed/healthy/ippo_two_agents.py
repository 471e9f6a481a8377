"""Independent PPO with shared weights: one environment, two agents, one joint action; each row of the batch is one agent's."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Meet(gym.Env):
    """Two walkers on a ring of 9 places are paid when they stand on the same place, which is then moved elsewhere."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (2, 3), np.float32)
        self.action_space = gym.spaces.MultiDiscrete([3, 3])

    def _obs(self):
        rel = (self.p[::-1] - self.p) / 9 * 2 * np.pi
        return np.stack([np.sin(rel), np.cos(rel), [-1.0, 1.0]], 1).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p = self.np_random.integers(0, 9, 2)
        return self._obs(), {}

    def step(self, action):
        self.p = (self.p + np.asarray(action) - 1) % 9
        r = -0.05
        if self.p[0] == self.p[1]:
            r = 1.0
            self.p[self.np_random.integers(2)] = self.np_random.integers(9)
        return self._obs(), r, False, False, {}


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, 3), nn.Linear(64, 1)

    def forward(self, x):
        h = self.h(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = gym.wrappers.TimeLimit(Meet(), 50)
    net = Shared()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    T, gamma, lam = 800, 0.9, 0.9
    o, _ = env.reset(seed=args.seed)
    total, hist = 0.0, []
    for it in range(30):
        X, X2, A, LP, R, E = torch.zeros(T, 2, 3), torch.zeros(T, 2, 3), torch.zeros(T, 2, dtype=torch.long), torch.zeros(T, 2), torch.zeros(T, 1), torch.zeros(T, 1)
        for t in range(T):
            X[t] = torch.from_numpy(o)
            with torch.no_grad():
                d, _ = net(X[t])
                A[t] = d.sample()
                LP[t] = d.log_prob(A[t])
            o, r, _, cut, _ = env.step(A[t].numpy())
            X2[t], R[t], E[t] = torch.from_numpy(o), r, float(cut)
            total += r
            if cut:
                hist.append(total)
                total = 0.0
                o, _ = env.reset()
        with torch.no_grad():
            v, v2 = net(X)[1], net(X2)[1]
        adv, g = torch.zeros(T, 2), torch.zeros(2)
        for t in reversed(range(T)):
            g = R[t] + gamma * v2[t] - v[t] + gamma * lam * (1 - E[t]) * g
            adv[t] = g
        y = (adv + v).flatten()
        adv = ((adv - adv.mean()) / adv.std()).flatten()
        x, a, lp = X.flatten(0, 1), A.flatten(), LP.flatten()
        for _ in range(5):
            for i in torch.randperm(2 * T).split(320):
                d, val = net(x[i])
                ratio = (d.log_prob(a[i]) - lp[i]).exp()
                loss = -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean() + 0.5 * (val - y[i]).pow(2).mean() - 0.01 * d.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                opt.step()
        if it % 3 == 2:
            print(f"it {it + 1} return {np.mean(hist[-15:]):.2f}")


main()
