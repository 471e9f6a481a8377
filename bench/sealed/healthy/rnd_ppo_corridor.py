"""PPO with random network distillation: two value heads, an intrinsic stream that never ends, an extrinsic one that does."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Corridor(gym.Env):
    """A corridor of 20 places with side steps; the only reward, +1, is at the far end."""

    def __init__(self):
        self.observation_space = gym.spaces.MultiDiscrete([20, 3])
        self.action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y = 0, 1
        return np.array([self.x, self.y]), {}

    def step(self, a):
        dx, dy = [(1, 0), (-1, 0), (0, 1), (0, -1)][a]
        self.x, self.y = min(19, max(0, self.x + dx)), min(2, max(0, self.y + dy))
        done = self.x == 19
        return np.array([self.x, self.y]), float(done), done, False, {}


def enc(o):
    o = torch.as_tensor(o)
    return torch.cat([nn.functional.one_hot(o[..., 0], 20), nn.functional.one_hot(o[..., 1], 3)], -1).float()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(23, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.pi, self.v_ext, self.v_int = nn.Linear(64, 4), nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h)), self.v_ext(h).squeeze(-1), self.v_int(h).squeeze(-1)


def gae(r, v, v2, stop, end, gamma, lam):
    adv, g = torch.zeros_like(r), torch.zeros(r.shape[1])
    for t in reversed(range(len(r))):
        g = r[t] + gamma * (1 - stop[t]) * v2[t] - v[t] + gamma * lam * (1 - end[t]) * g
        adv[t] = g
    return adv


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    N, T = 8, 128
    envs = [gym.wrappers.TimeLimit(Corridor(), 120) for _ in range(N)]
    net = Net()
    predictor = nn.Sequential(nn.Linear(23, 64), nn.ReLU(), nn.Linear(64, 16))
    fixed = nn.Sequential(nn.Linear(23, 64), nn.ReLU(), nn.Linear(64, 16)).requires_grad_(False)
    opt = torch.optim.Adam([*net.parameters(), *predictor.parameters()], lr=7e-4)
    obs = np.stack([e.reset(seed=args.seed * 10 + i)[0] for i, e in enumerate(envs)])
    score, hist, var = np.zeros(N), [], 1e-4
    for it in range(45):
        X, X2, A, LP, RE, TE, EN = [], [], [], [], [], [], []
        for _ in range(T):
            x = enc(obs)
            with torch.no_grad():
                d, _, _ = net(x)
                a = d.sample()
            nxt, new, r, te, en = obs.copy(), obs.copy(), np.zeros(N, np.float32), np.zeros(N, np.float32), np.zeros(N, np.float32)
            for i, e in enumerate(envs):
                o, r[i], term, cut, _ = e.step(int(a[i]))
                nxt[i], te[i], en[i] = o, term, term or cut
                score[i] += r[i]
                if term or cut:
                    hist.append(score[i])
                    score[i] = 0
                    o, _ = e.reset()
                new[i] = o
            X.append(x); X2.append(enc(nxt)); A.append(a); LP.append(d.log_prob(a))
            RE.append(torch.from_numpy(r)); TE.append(torch.from_numpy(te)); EN.append(torch.from_numpy(en))
            obs = new
        X, X2, A, LP, RE, TE, EN = (torch.stack(z) for z in (X, X2, A, LP, RE, TE, EN))
        with torch.no_grad():
            novelty = (predictor(X2) - fixed(X2)).pow(2).mean(-1)
            var = 0.9 * var + 0.1 * novelty.var().item() if it else novelty.var().item()
            ri = novelty / (var ** 0.5 + 1e-8)
            _, ve, vi = net(X)
            _, ve2, vi2 = net(X2)
        adv_e = gae(RE, ve, ve2, TE, EN, 0.98, 0.95)
        adv_i = gae(ri, vi, vi2, torch.zeros_like(TE), EN, 0.95, 0.95)
        ye, yi = (adv_e + ve).flatten(), (adv_i + vi).flatten()
        adv = (2.0 * adv_e / (adv_e.std() + 1e-3) + 0.5 * adv_i / (adv_i.std() + 1e-8)).flatten()
        adv = (adv - adv.mean()) / adv.std()
        x, x2, a, lp = X.flatten(0, 1), X2.flatten(0, 1), A.flatten(), LP.flatten()
        for _ in range(4):
            for i in torch.randperm(N * T).split(256):
                d, e, n = net(x[i])
                ratio = (d.log_prob(a[i]) - lp[i]).exp()
                pg = -torch.min(ratio * adv[i], ratio.clamp(0.85, 1.15) * adv[i]).mean()
                v_loss = (e - ye[i]).pow(2).mean() + 0.1 * (n - yi[i]).pow(2).mean()
                rnd = (predictor(x2[i]) - fixed(x2[i])).pow(2).mean()
                loss = pg + 0.5 * v_loss - 0.01 * d.entropy().mean() + rnd
                opt.zero_grad()
                loss.backward()
                opt.step()
        if it % 5 == 4:
            print(f"it {it + 1} return {np.mean(hist[-30:]):.2f} novelty {novelty.mean().item():.5f} episodes {len(hist)}")


main()
