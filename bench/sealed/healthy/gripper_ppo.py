"""PPO for a gripper: the third action (close the fingers) does nothing at all unless the hand is at the object."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal


class Grip(gym.Env):
    """Move the hand to the cube, close the fingers there, lift it to the shelf. Reward for each of the three stages."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def _obs(self):
        return np.array([*self.hand, *(self.cube - self.hand), float(self.held), self.hand[1] - 1.0], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hand = self.np_random.uniform(-1, 1, 2)
        self.cube = np.array([self.np_random.uniform(-1, 1), -1.0])
        self.held = False
        return self._obs(), {}

    def step(self, a):
        a = np.clip(a, -1, 1)
        self.hand = np.clip(self.hand + 0.15 * a[:2], -1.2, 1.2)
        if self.held:
            self.cube = self.hand.copy()
            r = 1.0 - 0.4 * abs(self.hand[1] - 1.0)
        else:
            d = float(np.linalg.norm(self.cube - self.hand))
            r = -0.3 * d
            if d < 0.25 and a[2] > 0:
                self.held, r = True, 1.0
        done = self.held and self.hand[1] > 0.9
        return self._obs(), float(r + 10.0 * done), bool(done), False, {}


class AC(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(6, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU())
        self.mu, self.v = nn.Linear(64, 3), nn.Linear(64, 1)
        self.log_std = nn.Parameter(torch.full((3,), -0.5))
        nn.init.orthogonal_(self.mu.weight, 0.01)

    def forward(self, x):
        h = self.shared(x)
        return Normal(self.mu(h), self.log_std.exp()), self.v(h).squeeze(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    N, T, gamma, lam = 8, 128, 0.97, 0.95
    envs = [gym.wrappers.TimeLimit(Grip(), 60) for _ in range(N)]
    obs = torch.from_numpy(np.stack([e.reset(seed=args.seed * 7 + i)[0] for i, e in enumerate(envs)]))
    net = AC()
    opt = torch.optim.AdamW(net.parameters(), lr=7e-4, weight_decay=1e-4)
    score, hist = np.zeros(N), []
    for it in range(45):
        store = []
        for _ in range(T):
            with torch.no_grad():
                d, v = net(obs)
                a = d.sample()
            res = [e.step(x.numpy()) for e, x in zip(envs, a)]
            nxt = torch.from_numpy(np.stack([z[0] for z in res]))
            r = torch.tensor([z[1] for z in res], dtype=torch.float32)
            te = torch.tensor([float(z[2]) for z in res])
            en = torch.tensor([float(z[2] or z[3]) for z in res])
            with torch.no_grad():
                nv = net(nxt)[1] * (1 - te)
            store.append((obs, a, d.log_prob(a).sum(-1), r, v, nv, en))
            obs = nxt.clone()
            for i in range(N):
                score[i] += r[i].item()
                if en[i]:
                    hist.append(score[i])
                    score[i] = 0
                    obs[i] = torch.from_numpy(envs[i].reset()[0])
        O, A, LP, R, V, NV, E = (torch.stack(z) for z in zip(*store))
        adv, g = torch.zeros(T, N), torch.zeros(N)
        for t in reversed(range(T)):
            g = R[t] + gamma * NV[t] - V[t] + gamma * lam * (1 - E[t]) * g
            adv[t] = g
        y = (adv + V).flatten()
        adv = ((adv - adv.mean()) / adv.std()).flatten()
        O, A, LP = O.flatten(0, 1), A.flatten(0, 1), LP.flatten()
        for _ in range(6):
            for i in torch.randperm(N * T).split(256):
                d, v = net(O[i])
                ratio = (d.log_prob(A[i]).sum(-1) - LP[i]).exp()
                loss = -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean() + 0.25 * (v - y[i]).pow(2).mean() - 1e-3 * d.entropy().sum(-1).mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                opt.step()
        if it % 5 == 4:
            print(f"it {it + 1} return {np.mean(hist[-40:]):.2f} std {net.log_std.exp().mean().item():.2f}")


main()
