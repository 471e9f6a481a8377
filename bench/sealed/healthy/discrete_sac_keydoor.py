"""Discrete SAC with a learned temperature (Christodoulou) on a sparse key-and-door grid; gymnasium TimeLimit."""
import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class KeyDoor(gym.Env):
    """6x6 grid: fetch the key, then go to the door. +1 at the door, +0.2 once for the key, nothing else."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (6, 6, 3), np.uint8)
        self.action_space = gym.spaces.Discrete(4)

    def _obs(self):
        o = np.zeros((6, 6, 3), np.uint8)
        o[tuple(self.me)] = (1, 0, 0)
        if not self.has:
            o[self.key][1] = 1
        o[5, 5, 2] = 1
        return o

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = np.array([0, int(self.np_random.integers(6))])
        self.key, self.has = (int(self.np_random.integers(2, 4)), int(self.np_random.integers(6))), False
        return self._obs(), {}

    def step(self, a):
        self.me = np.clip(self.me + [(-1, 0), (1, 0), (0, -1), (0, 1)][a], 0, 5)
        r = 0.0
        if not self.has and tuple(self.me) == self.key:
            self.has, r = True, 0.2
        done = self.has and tuple(self.me) == (5, 5)
        return self._obs(), r + float(done), bool(done), False, {}


def net(out):
    return nn.Sequential(nn.Flatten(), nn.Linear(108, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, out))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=12000)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.wrappers.TimeLimit(KeyDoor(), 60)
    pi, q1, q2 = net(4), net(4), net(4)
    t1, t2 = copy.deepcopy(q1), copy.deepcopy(q2)
    pi_opt = torch.optim.Adam(pi.parameters(), lr=5e-4)
    q_opt = torch.optim.Adam(list(q1.parameters()) + list(q2.parameters()), lr=5e-4)
    log_alpha = torch.tensor(np.log(0.05), dtype=torch.float32, requires_grad=True)
    a_opt = torch.optim.Adam([log_alpha], lr=5e-4)
    target_entropy = 0.3 * np.log(4)
    gamma, B = 0.95, 64
    mem_s = np.zeros((args.steps, 6, 6, 3), np.uint8)
    mem_s2 = np.zeros_like(mem_s)
    mem_a, mem_r, mem_d = np.zeros(args.steps, np.int64), np.zeros(args.steps, np.float32), np.zeros(args.steps, np.float32)
    s, _ = env.reset(seed=args.seed)
    total, hist = 0.0, []
    for k in range(args.steps):
        if k < 1000:
            a = int(rng.integers(4))
        else:
            with torch.no_grad():
                a = torch.distributions.Categorical(logits=pi(torch.from_numpy(s)[None].float())).sample().item()
        s2, r, term, trunc, _ = env.step(a)
        mem_s[k], mem_a[k], mem_r[k], mem_s2[k], mem_d[k] = s, a, r, s2, term
        s, total = s2, total + r
        if term or trunc:
            hist.append(total)
            total = 0.0
            s, _ = env.reset()
        if k >= 1000 and k % 2 == 0:
            i = rng.integers(0, k + 1, B)
            S, S2 = torch.from_numpy(mem_s[i]).float(), torch.from_numpy(mem_s2[i]).float()
            A, R, D = torch.from_numpy(mem_a[i])[:, None], torch.from_numpy(mem_r[i]), torch.from_numpy(mem_d[i])
            alpha = log_alpha.exp().detach()
            with torch.no_grad():
                lp2 = F.log_softmax(pi(S2), -1)
                v2 = (lp2.exp() * (torch.min(t1(S2), t2(S2)) - alpha * lp2)).sum(-1)
                y = R + gamma * (1 - D) * v2
            q_loss = F.mse_loss(q1(S).gather(1, A)[:, 0], y) + F.mse_loss(q2(S).gather(1, A)[:, 0], y)
            q_opt.zero_grad(); q_loss.backward(); q_opt.step()
            lp = F.log_softmax(pi(S), -1)
            with torch.no_grad():
                q = torch.min(q1(S), q2(S))
            pi_loss = (lp.exp() * (alpha * lp - q)).sum(-1).mean()
            pi_opt.zero_grad(); pi_loss.backward(); pi_opt.step()
            ent = -(lp.exp() * lp).sum(-1).detach()
            a_loss = (log_alpha * (ent - target_entropy)).mean()
            a_opt.zero_grad(); a_loss.backward(); a_opt.step()
            with torch.no_grad():
                for q_, t_ in ((q1, t1), (q2, t2)):
                    for p, tp in zip(q_.parameters(), t_.parameters()):
                        tp.mul_(0.99).add_(p, alpha=0.01)
        if k % 1500 == 1499:
            print(f"{k + 1} return {np.mean(hist[-25:]):.2f} alpha {log_alpha.exp().item():.3f}")


main()
