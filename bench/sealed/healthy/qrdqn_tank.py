"""QR-DQN on two coupled tanks. Observations float64 in litres (0..200) and seconds, scaled inside the network."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Tanks(gym.Env):
    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 200.0, (3,), np.float64)
        self.action_space = gym.spaces.Discrete(5)

    def _obs(self):
        return np.array([self.h[0], self.h[1], self.target], dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h = self.np_random.uniform(20, 120, 2)
        self.target = self.np_random.uniform(50, 110)
        return self._obs(), {}

    def step(self, a):
        inflow = 5.0 * a
        flow = 0.25 * (self.h[0] - self.h[1])
        out = 0.12 * self.h[1]
        self.h[0] += inflow - flow + self.np_random.normal(0, 0.5)
        self.h[1] += flow - out
        self.h = np.clip(self.h, 0, 200)
        spilled = bool(self.h[0] > 195)
        reward = -abs(self.h[1] - self.target) / 50.0 - (20.0 if spilled else 0.0)
        return self._obs(), float(reward), spilled, False, {}


class Net(nn.Module):
    def __init__(self, n_act, n_q):
        super().__init__()
        self.n_act, self.n_q = n_act, n_q
        self.f = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_act * n_q))

    def forward(self, x):
        return self.f((x / 100.0 - 0.8).float()).view(-1, self.n_act, self.n_q)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=14000)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.wrappers.TimeLimit(Tanks(), 100)
    nq, gamma, batch = 21, 0.97, 64
    net, tgt = Net(5, nq), Net(5, nq)
    tgt.load_state_dict(net.state_dict())
    opt = torch.optim.Adam(net.parameters(), lr=5e-4, eps=1e-2 / batch)
    taus = (torch.arange(nq) + 0.5) / nq
    S, S2 = np.zeros((args.steps, 3)), np.zeros((args.steps, 3))
    A, R, D = np.zeros(args.steps, np.int64), np.zeros(args.steps, np.float32), np.zeros(args.steps, np.float32)
    s, _ = env.reset(seed=args.seed)
    ret, hist = 0.0, []
    for step in range(args.steps):
        eps = max(0.05, 1 - step / 6000)
        if rng.random() < eps:
            a = int(rng.integers(5))
        else:
            with torch.no_grad():
                a = int(net(torch.from_numpy(s)[None]).mean(-1).argmax())
        s2, r, term, trunc, _ = env.step(a)
        S[step], A[step], R[step], S2[step], D[step] = s, a, r, s2, term
        ret += r
        s = s2
        if term or trunc:
            hist.append(ret)
            ret = 0.0
            s, _ = env.reset()
        if step >= 1000 and step % 2 == 0:
            i = rng.integers(0, step + 1, batch)
            with torch.no_grad():
                nxt = tgt(torch.from_numpy(S2[i]))
                best = nxt.mean(-1).argmax(-1)
                nxt = nxt[torch.arange(batch), best]
                y = torch.from_numpy(R[i])[:, None] + gamma * (1 - torch.from_numpy(D[i])[:, None]) * nxt
            q = net(torch.from_numpy(S[i]))[torch.arange(batch), torch.from_numpy(A[i])]
            u = y[:, None, :] - q[:, :, None]  # batch x quantiles x targets
            huber = torch.where(u.abs() <= 1, 0.5 * u ** 2, u.abs() - 0.5)
            loss = ((taus[None, :, None] - (u.detach() < 0).float()).abs() * huber).mean(2).sum(1).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        if step % 500 == 0:
            tgt.load_state_dict(net.state_dict())
        if step % 2000 == 1999:
            print(f"{step + 1} return {np.mean(hist[-20:]):.2f} eps {eps:.2f}")


main()
