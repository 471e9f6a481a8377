"""Soft actor-critic as first published: a state-value network with a slow copy, two Q networks, a fixed temperature."""
import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


class ReplayBuffer:
    def __init__(self, capacity, o, a):
        self.s, self.s2 = np.zeros((capacity, o), np.float32), np.zeros((capacity, o), np.float32)
        self.a = np.zeros((capacity, a), np.float32)
        self.r, self.d = np.zeros((capacity, 1), np.float32), np.zeros((capacity, 1), np.float32)
        self.n, self.i, self.cap = 0, 0, capacity

    def add(self, s, a, r, s2, d):
        i = self.i
        self.s[i], self.a[i], self.r[i], self.s2[i], self.d[i] = s, a, r, s2, d
        self.i = (i + 1) % self.cap
        self.n = min(self.n + 1, self.cap)

    def sample(self, rng, k):
        j = rng.integers(0, self.n, k)
        return [torch.from_numpy(z[j]) for z in (self.s, self.a, self.r, self.s2, self.d)]


class ValueNetwork(nn.Module):
    def __init__(self, inp, hidden=128):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(inp, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1)

    def forward(self, *x):
        x = torch.cat(x, 1)
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


class PolicyNetwork(nn.Module):
    def __init__(self, inp, act, scale, hidden=128):
        super().__init__()
        self.l1, self.l2 = nn.Linear(inp, hidden), nn.Linear(hidden, hidden)
        self.mean, self.log_std = nn.Linear(hidden, act), nn.Linear(hidden, act)
        self.scale = scale

    def forward(self, s):
        h = F.relu(self.l2(F.relu(self.l1(s))))
        return self.mean(h), self.log_std(h).clamp(-5, 2)

    def evaluate(self, s):
        mean, log_std = self(s)
        z = mean + log_std.exp() * torch.randn_like(mean)
        a = torch.tanh(z)
        logp = Normal(mean, log_std.exp()).log_prob(z) - torch.log(1 - a.pow(2) + 1e-6)
        return a, logp.sum(1, keepdim=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=6000)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.make("Pendulum-v1")
    scale = float(env.action_space.high[0])
    v = ValueNetwork(3)
    v_target = copy.deepcopy(v).requires_grad_(False)
    q1, q2, pi = ValueNetwork(4), ValueNetwork(4), PolicyNetwork(3, 1, scale)
    v_opt, q_opt = torch.optim.Adam(v.parameters(), 1e-3), torch.optim.Adam([*q1.parameters(), *q2.parameters()], 1e-3)
    pi_opt = torch.optim.Adam(pi.parameters(), 1e-3)
    buf = ReplayBuffer(args.steps, 3, 1)
    gamma, tau, alpha, reward_scale = 0.98, 0.01, 0.2, 0.2
    s, _ = env.reset(seed=args.seed)
    total, hist = 0.0, []
    for step in range(args.steps):
        if step < 500:
            a = rng.uniform(-1, 1, 1).astype(np.float32)
        else:
            with torch.no_grad():
                a = pi.evaluate(torch.from_numpy(s)[None])[0][0].numpy()
        s2, r, term, trunc, _ = env.step(a * scale)
        total += r
        buf.add(s, a, r * reward_scale, s2, float(term))
        s = s2
        if term or trunc:
            hist.append(total)
            total = 0.0
            s, _ = env.reset()
        if step < 500:
            continue
        S, A, R, S2, D = buf.sample(rng, 128)
        with torch.no_grad():
            q_target = R + gamma * (1 - D) * v_target(S2)
        q_loss = F.mse_loss(q1(S, A), q_target) + F.mse_loss(q2(S, A), q_target)
        q_opt.zero_grad(); q_loss.backward(); q_opt.step()
        new_a, logp = pi.evaluate(S)
        q_new = torch.min(q1(S, new_a), q2(S, new_a))
        v_loss = F.mse_loss(v(S), (q_new - alpha * logp).detach())
        v_opt.zero_grad(); v_loss.backward(); v_opt.step()
        pi_loss = (alpha * logp - q_new).mean()
        pi_opt.zero_grad(); pi_loss.backward(); pi_opt.step()
        with torch.no_grad():
            for t, p in zip(v_target.parameters(), v.parameters()):
                t.lerp_(p, tau)
        if step % 1000 == 999:
            print(f"{step + 1} return {np.mean(hist[-5:]):.1f} v_loss {v_loss.item():.3f} logp {logp.mean().item():.2f}")


main()
