"""DDPG with Ornstein-Uhlenbeck noise, layer norm and weight decay on the critic; a sparse-ish docking task with rewards x100."""
import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Dock(gym.Env):
    """Slow a boat down at the pier: +1000 for a gentle arrival, -500 for a crash, fuel costs; it always ends somewhere."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = gym.spaces.Box(-3.0, 3.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.d, self.v = self.np_random.uniform(20, 40), self.np_random.uniform(1.0, 3.0)
        return np.array([self.d, self.v], np.float32), {}

    def step(self, a):
        u = float(np.clip(a[0], -3, 3))
        self.v = np.clip(self.v + 0.2 * u + self.np_random.normal(0, 0.02), 0.3, 5.0)
        self.d -= self.v
        r, term = -2.0 * abs(u) - 5.0, False
        if self.d <= 0:
            term = True
            r += 1000.0 if self.v < 1.0 else -500.0 * (self.v - 1.0) / 4.0
        return np.array([self.d, self.v], np.float32), r, term, False, {}


class OUNoise:
    def __init__(self, size, rng, theta=0.15, sigma=0.35):
        self.rng, self.theta, self.sigma, self.size = rng, theta, sigma, size
        self.reset()

    def reset(self):
        self.x = np.zeros(self.size)

    def sample(self):
        self.x = self.x - self.theta * self.x + self.sigma * self.rng.standard_normal(self.size)
        return self.x


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())
        nn.init.uniform_(self.net[-2].weight, -3e-3, 3e-3)

    def forward(self, s):
        return self.net(s)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.fs = nn.Linear(2, 64)
        self.fa = nn.Sequential(nn.Linear(65, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, s, a):
        return self.fa(torch.cat([torch.relu(self.fs(s)), a], 1))


def norm(o):
    return np.array([o[0] / 20 - 1, o[1] - 1.5], np.float32)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=9000)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = Dock()
    actor, critic = Actor(), Critic()
    actor_t, critic_t = copy.deepcopy(actor), copy.deepcopy(critic)
    a_opt = torch.optim.Adam(actor.parameters(), lr=3e-4)
    c_opt = torch.optim.Adam(critic.parameters(), lr=1e-3, weight_decay=1e-4)
    noise, gamma, tau, scale = OUNoise(1, rng), 0.98, 0.01, 0.01  # rewards are learned in units of 100
    S, S2 = np.zeros((args.steps, 2), np.float32), np.zeros((args.steps, 2), np.float32)
    A, R, D = (np.zeros((args.steps, 1), np.float32) for _ in range(3))
    o, _ = env.reset(seed=args.seed)
    s, total, hist = norm(o), 0.0, []
    for k in range(args.steps):
        with torch.no_grad():
            a = actor(torch.from_numpy(s)[None])[0].numpy()
        strength = max(0.15, 1 - k / 5000)
        a = np.clip(a + strength * noise.sample(), -1, 1).astype(np.float32) if k > 1000 else rng.uniform(-1, 1, 1).astype(np.float32)
        o, r, term, _, _ = env.step(3.0 * a)
        s2 = norm(o)
        S[k], A[k], R[k], S2[k], D[k] = s, a, r * scale, s2, term
        s, total = s2, total + r
        if term:
            hist.append(total)
            total = 0.0
            noise.reset()
            o, _ = env.reset()
            s = norm(o)
        if k > 1000:
            i = rng.integers(0, k + 1, 64)
            bs, ba, br, bs2, bd = (torch.from_numpy(z[i]) for z in (S, A, R, S2, D))
            with torch.no_grad():
                y = br + gamma * (1 - bd) * critic_t(bs2, actor_t(bs2))
            c_loss = nn.functional.mse_loss(critic(bs, ba), y)
            c_opt.zero_grad(); c_loss.backward(); c_opt.step()
            a_loss = -critic(bs, actor(bs)).mean()
            a_opt.zero_grad(); a_loss.backward(); a_opt.step()
            with torch.no_grad():
                for net, slow in ((actor, actor_t), (critic, critic_t)):
                    for p, q in zip(net.parameters(), slow.parameters()):
                        q.lerp_(p, tau)
        if k % 1000 == 999:
            print(f"{k + 1} return {np.mean(hist[-30:]):.0f} critic {c_loss.item() if k > 1000 else 0:.2f}")


main()
