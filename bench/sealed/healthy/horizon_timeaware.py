"""A2C for a task whose horizon is real: 40 steps, the clock is part of the observation (TimeAwareObservation), so
the end by the limit is an end of the task and nothing is added there (Pardo et al. 2018). Undiscounted."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Farm(gym.Env):
    """Sow, wait or harvest; a crop grows by itself and may rot. Sell before the season is over."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 10.0, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        return np.array([self.crop, self.seeds], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.crop, self.seeds = 0.0, float(self.np_random.integers(2, 6))
        return self._obs(), {}

    def step(self, a):
        r = 0.0
        if a == 1 and self.seeds > 0 and self.crop == 0:
            self.seeds, self.crop = self.seeds - 1, 1.0
        elif a == 2 and self.crop > 0:
            r, self.crop = self.crop if self.crop >= 3 else -1.0, 0.0
        elif self.crop > 0:
            self.crop = self.crop + 1 if self.np_random.random() > 0.02 * self.crop else 0.0
            self.crop = min(self.crop, 10.0)
        return self._obs(), r, False, False, {}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--updates", type=int, default=220)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    H, N = 40, 6
    envs = [gym.wrappers.TimeAwareObservation(gym.wrappers.TimeLimit(Farm(), H)) for _ in range(N)]
    for i, e in enumerate(envs):
        e.reset(seed=args.seed * 31 + i)
    scale = torch.tensor([0.2, 0.2, 1.0 / H])  # the clock as a share of the season
    pi = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
    vf = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    opt = torch.optim.Adam([{"params": pi.parameters(), "lr": 2e-3}, {"params": vf.parameters(), "lr": 3e-3}])
    lam, hist = 0.9, []

    def feed(o):
        return torch.as_tensor(np.stack(o), dtype=torch.float32) * scale

    for u in range(args.updates):
        obs = feed([e.reset()[0] for e in envs])
        X, A, R = [], [], []
        for t in range(H):
            with torch.no_grad():
                a = torch.distributions.Categorical(logits=pi(obs)).sample()
            out = [e.step(int(k)) for e, k in zip(envs, a)]
            X.append(obs); A.append(a); R.append(torch.tensor([o[1] for o in out], dtype=torch.float32))
            obs = feed([o[0] for o in out])
        assert all(o[3] for o in out)
        X, A, R = torch.stack(X), torch.stack(A), torch.stack(R)
        hist.append(R.sum(0).mean().item())
        v = vf(X).squeeze(-1)
        vd = torch.cat([v.detach(), torch.zeros(1, N)])  # after the last step there is nothing
        adv, g = torch.zeros_like(R), torch.zeros(N)
        for t in reversed(range(H)):
            g = R[t] + vd[t + 1] - vd[t] + lam * g
            adv[t] = g
        y = adv + vd[:-1]
        d = torch.distributions.Categorical(logits=pi(X))
        norm = (adv - adv.mean()) / (adv.std() + 1e-8)
        loss = -(d.log_prob(A) * norm).mean() - 0.01 * d.entropy().mean() + 0.5 * (v - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*pi.parameters(), *vf.parameters()], 1.0)
        opt.step()
        if u % 20 == 19:
            print(f"update {u + 1} return {np.mean(hist[-10:]):.2f} entropy {d.entropy().mean().item():.2f}")


main()
