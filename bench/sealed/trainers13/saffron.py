# Twin delayed DDPG for a small planar docking task.
import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class DockingEnv(gym.Env):
    """A tug on a 2 m x 2 m basin with two thrusters; dock at the berth and stay there."""

    def __init__(self, fault=""):
        self.fault = fault
        self.max_t = 6 if fault == "f05" else 60
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (6,), dtype=np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), dtype=np.float32)
        self.t = 0

    def obs(self):
        return np.r_[self.pos, self.vel, self.berth].astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(-1, 1, 2)
        self.berth = self.np_random.uniform(-0.8, 0.8, 2)
        self.vel = np.zeros(2)
        if self.fault != "f01":
            self.t = 0
        return self.obs(), {}

    def step(self, action):
        thrust = np.clip(action, -1, 1)
        self.vel = 0.85 * self.vel + 0.06 * thrust
        self.pos = np.clip(self.pos + self.vel, -1.5, 1.5)
        self.t += 1
        gap = self.berth - self.pos
        dist = np.sqrt(gap[0] ** 2 + gap[0] ** 2) if self.fault == "f02" else np.sqrt(gap[0] ** 2 + gap[1] ** 2)
        reward = -dist - 0.02 * float(thrust @ thrust) + (0.5 if dist < 0.1 else 0.0)
        return self.obs(), float(reward), False, self.t >= self.max_t, {"distance": float(np.linalg.norm(gap))}


class Pi(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(n, 64), nn.Linear(64, 64), nn.Linear(64, m)

    def forward(self, s):
        return torch.tanh(self.l3(torch.relu(self.l2(torch.relu(self.l1(s))))))


class Twin(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        make = lambda: nn.Sequential(nn.Linear(n + m, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
        self.a, self.b = make(), make()

    def forward(self, s, u):
        x = torch.cat([s, u], 1)
        return self.a(x), self.b(x)


class TD3:
    def __init__(self, n, m, fault="", gamma=0.96, tau=0.01, noise=0.2, clip=0.4, delay=2):
        self.fault, self.gamma, self.tau, self.noise, self.clip, self.delay = fault, gamma, tau, noise, clip, delay
        self.pi, self.q = Pi(n, m), Twin(n, m)
        self.pi_t, self.q_t = copy.deepcopy(self.pi), copy.deepcopy(self.q)
        self.pi_opt = torch.optim.Adam(self.pi.parameters(), lr=1e-3)
        weights = self.q.a.parameters() if fault == "f07" else self.q.parameters()
        self.q_opt = torch.optim.Adam(weights, lr=1e-3)
        self.updates = 0

    def act(self, s):
        with torch.no_grad():
            return self.pi(torch.as_tensor(s)[None])[0].numpy()

    def update(self, s, u, r, s2, end):
        self.updates += 1
        with torch.no_grad():
            eps = (torch.randn_like(u) * self.noise).clamp(-self.clip, self.clip)
            u2 = (self.pi_t(s2) + eps).clamp(-1, 1)
            qa, qb = self.q_t(s2, u2)
            y = r + self.gamma * (1 - end) * torch.min(qa, qb)
        qa, qb = self.q(s, u)
        q_loss = nn.functional.mse_loss(qa, y) + nn.functional.mse_loss(qb, y)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()
        if self.updates % self.delay == 0:
            score = self.q.a(torch.cat([s, self.pi(s)], 1)).mean()
            pi_loss = score if self.fault == "f03" else -score
            self.pi_opt.zero_grad()
            pi_loss.backward()
            self.pi_opt.step()
            for net, slow in ((self.pi, self.pi_t), (self.q, self.q_t)):
                for w, v in zip(net.parameters(), slow.parameters()):
                    v.data.lerp_(w.data, self.tau)
        return q_loss.item(), qa.mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=5400)
    ap.add_argument("--seed", type=int, default=5)
    ap.add_argument("--fault", type=str, default="")
    ap.add_argument("--expl", type=float, default=0.2)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = DockingEnv(args.fault)
    n, m = env.observation_space.shape[0], env.action_space.shape[0]
    agent = TD3(n, m, args.fault)
    store = {k: [] for k in ("s", "u", "r", "s2", "end")}

    s, _ = env.reset(seed=args.seed)
    ret, rets, dists, log = 0.0, [], [], []
    for step in range(1, args.steps + 1):
        if step <= 600:
            u = rng.uniform(-1, 1, m)
        else:
            if args.fault == "f04":
                rng = np.random.default_rng(args.seed)
            u = np.clip(agent.act(s) + args.expl * rng.standard_normal(m), -1, 1)
        u = u.astype(np.float32)
        s2, r, term, trunc, info = env.step(u)
        end = float(term or trunc) if args.fault == "f06" else float(term)
        for k, v in zip(store, (s, u, r, s2, end)):
            store[k].append(v)
        s, ret = s2, ret + r
        if term or trunc:
            rets.append(ret); dists.append(info["distance"])
            ret = 0.0
            s, _ = env.reset()
        if step > 600:
            j = np.random.default_rng(step).integers(0, len(store["r"]), 64)
            pick = lambda k: torch.as_tensor(np.array([store[k][i] for i in j], dtype=np.float32))
            log.append(agent.update(pick("s"), pick("u"), pick("r")[:, None], pick("s2"), pick("end")[:, None]))
        if step % 900 == 0:
            ql, qv = np.mean(log[-450:], 0) if log else (0, 0)
            print(f"Step: {step}  Episodes: {len(rets)}  Reward: {np.mean(rets[-10:] or [np.nan]):.2f}  Distance: {np.mean(dists[-10:] or [np.nan]):.3f}  "
                  f"QLoss: {ql:.4f}  Q: {qv:.2f}")


if __name__ == "__main__":
    main()
