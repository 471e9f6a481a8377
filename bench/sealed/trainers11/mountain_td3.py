"""TD3 + Ornstein-Uhlenbeck noise, continuous mountain car."""
import argparse, copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class OUNoise:
    def __init__(self, dim, sigma, theta=0.05, rng=None):
        self.dim, self.sigma, self.theta = dim, sigma, theta
        self.rng = rng
        self.reset()

    def reset(self):
        self.x = np.zeros(self.dim)

    def __call__(self):
        self.x = self.x - self.theta * self.x + self.sigma * self.rng.normal(size=self.dim)
        return self.x


class Actor(nn.Module):
    def __init__(self, s_dim, a_dim, squash=True):
        super().__init__()
        self.l1 = nn.Linear(s_dim, 64)
        self.l2 = nn.Linear(64, 64)
        self.l3 = nn.Linear(64, a_dim)
        self.squash = squash

    def forward(self, s):
        x = F.relu(self.l2(F.relu(self.l1(s))))
        return torch.tanh(self.l3(x)) if self.squash else self.l3(x)


class Critic(nn.Module):
    def __init__(self, s_dim, a_dim):
        super().__init__()
        self.a = nn.Sequential(nn.Linear(s_dim + a_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
        self.b = nn.Sequential(nn.Linear(s_dim + a_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, s, a):
        x = torch.cat([s, a], dim=1)
        return self.a(x), self.b(x)


class Memory:
    def __init__(self, n, s_dim, a_dim, fault):
        self.s, self.s2 = np.zeros((n, s_dim), "f4"), np.zeros((n, s_dim), "f4")
        self.a, self.r, self.nd = np.zeros((n, a_dim), "f4"), np.zeros((n, 1), "f4"), np.zeros((n, 1), "f4")
        self.n, self.i, self.full = n, 0, 0
        self.fault = fault

    def put(self, s, a, r, s2, nd):
        self.s[self.i], self.a[self.i], self.r[self.i], self.nd[self.i] = s, a, r, nd
        self.s2[self.i] = s if self.fault == "f05" else s2
        self.i = (self.i + 1) % self.n
        self.full = min(self.full + 1, self.n)

    def get(self, rng, k):
        j = rng.integers(0, self.full, size=k)
        return [torch.from_numpy(x[j]) for x in (self.s, self.a, self.r, self.s2, self.nd)]


def scale(s):
    # position in [-1.2, 0.6], speed in [-0.07, 0.07]
    return np.array([(s[0] + 0.3) / 0.9, s[1] / 0.07], dtype=np.float32)


def main(a):
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    env = gym.make("MountainCarContinuous-v0", max_episode_steps=500)
    gamma, tau, batch, delay = 0.99, 0.01, 128, 2

    actor, critic = Actor(2, 1, squash=a.fault != "f04"), Critic(2, 1)
    actor_t, critic_t = copy.deepcopy(actor), copy.deepcopy(critic)
    opt_a = torch.optim.Adam(actor.parameters(), lr=1e-3)
    opt_c = torch.optim.Adam(critic.parameters(), lr=1e-6 if a.fault == "f06" else 1e-3)
    mem = Memory(50_000, 2, 1, a.fault)
    noise = OUNoise(1, sigma=0.01 if a.fault == "f01" else 0.2, rng=rng)

    s, _ = env.reset(seed=a.seed)
    s = scale(s)
    total, episode, results, updates = 0.0, 0, [], 0
    for t in range(1, a.steps + 1):
        with torch.no_grad():
            u = actor(torch.from_numpy(s)[None])[0].numpy()
        u = u + noise()
        if a.fault != "f04":
            u = np.clip(u, -1, 1)
        raw, r, term, trunc, _ = env.step(u.astype(np.float32))
        s2 = scale(raw)
        total += r
        pay = r / 10.0
        if a.fault == "f02":
            pay = pay + abs(float(s2[1]))
        mem.put(s, u, pay, s2, 0.0 if term else 1.0)
        s = s2
        if term or trunc:
            episode += 1
            results.append(total)
            print("episode %3d  step %6d  return %8.2f" % (episode, t, total))
            total = 0.0
            noise.reset()
            s = scale(env.reset()[0])

        if t < 1000 or t % 2:
            continue
        updates += 1
        bs, ba, br, bs2, bnd = mem.get(rng, batch)
        with torch.no_grad():
            eps = (0.2 * torch.randn_like(ba)).clamp(-0.5, 0.5)
            na = (actor_t(bs2) + eps).clamp(-1, 1)
            q1, q2 = critic_t(bs2, na)
            y = br + gamma * bnd * torch.min(q1, q2)
        p1, p2 = critic(bs, ba)
        loss_c = F.mse_loss(p1, y) + F.mse_loss(p2, y)
        opt_c.zero_grad()
        loss_c.backward()
        opt_c.step()
        if updates % delay == 0:
            q = critic(bs, actor(bs))[0].mean()
            loss_a = q if a.fault == "f07" else -q
            opt_a.zero_grad()
            loss_a.backward()
            opt_a.step()
            k = 1 - tau if a.fault == "f03" else tau
            for net, tgt in ((actor, actor_t), (critic, critic_t)):
                for p, pt in zip(net.parameters(), tgt.parameters()):
                    pt.data.lerp_(p.data, k)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="")
    main(parser.parse_args())
