"""Differential (average-reward) actor-critic on a queue that never ends: one long life, no reset, no discount."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Server(gym.Env):
    """Choose the speed of a server; waiting customers and energy cost. Continuing: never terminated, never truncated."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        return np.array([self.n / 20, self.busy], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.n, self.busy = 0, 0
        return self._obs(), {}

    def step(self, a):
        if self.np_random.random() < (0.02 if self.busy else 0.05):
            self.busy = 1 - self.busy
        self.n = min(20, self.n + int(self.np_random.random() < (0.7 if self.busy else 0.2)))
        if self.n and self.np_random.random() < (0.05, 0.4, 0.9)[a]:
            self.n -= 1
        return self._obs(), -0.1 * self.n - (0.0, 0.1, 0.5)[a], False, False, {}


class AC(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, 3), nn.Linear(64, 1)

    def forward(self, x):
        h = self.h(x)
        return self.pi(h).log_softmax(-1), self.v(h).squeeze(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--updates", type=int, default=1200)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    envs = [Server() for _ in range(6)]
    obs = torch.from_numpy(np.stack([e.reset(seed=args.seed * 9 + i)[0] for i, e in enumerate(envs)]))
    net = AC()
    opt = torch.optim.Adam(net.parameters(), lr=7e-4)
    rho, n, lam, costs = None, 16, 0.9, []
    for k in range(args.updates):
        X, A, R = [], [], []
        for _ in range(n):
            with torch.no_grad():
                a = torch.multinomial(net(obs)[0].exp(), 1)[:, 0]
            out = [e.step(int(i)) for e, i in zip(envs, a)]
            X.append(obs); A.append(a); R.append(torch.tensor([o[1] for o in out], dtype=torch.float32))
            obs = torch.from_numpy(np.stack([o[0] for o in out]))
        X, A, R = torch.stack(X), torch.stack(A), torch.stack(R)
        costs.append(R.mean().item())
        rho = R.mean().item() if rho is None else rho
        with torch.no_grad():
            v_end = net(obs)[1]
        logp, v = net(X)
        vd = torch.cat([v.detach(), v_end[None]])
        delta = R - rho + vd[1:] - vd[:-1]
        adv, g = torch.zeros_like(R), torch.zeros(6)
        for t in reversed(range(n)):
            g = delta[t] + lam * g
            adv[t] = g
        y = adv + vd[:-1]
        rho += 0.01 * delta.mean().item()
        pg = -(logp.gather(-1, A[..., None]).squeeze(-1) * adv).mean()
        ent = -(logp.exp() * logp).sum(-1).mean()
        loss = pg + 0.5 * nn.functional.smooth_l1_loss(v, y) - 0.01 * ent
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
        if k % 120 == 119:
            print(f"{k + 1} reward per step {np.mean(costs[-60:]):.3f} rho {rho:.3f} entropy {ent.item():.2f}")


main()
