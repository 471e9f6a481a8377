"""REDQ-like SAC: five critics, random pairs in the target, automatic temperature, everything in float64, action scale 4."""
import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

torch.set_default_dtype(torch.float64)
M, ACT = 5, 4.0


class Slider(gym.Env):
    """Track a sine on a rail with a force of up to 4 newton. No termination."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float64)
        self.action_space = gym.spaces.Box(-ACT, ACT, (1,), np.float64)

    def _obs(self):
        return np.array([self.x - np.sin(self.ph), self.v, np.sin(self.ph), np.cos(self.ph)])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v, self.ph = self.np_random.uniform(-2, 2), 0.0, self.np_random.uniform(0, 6.28)
        return self._obs(), {}

    def step(self, a):
        self.v += 0.1 * (float(np.clip(a[0], -ACT, ACT)) - 0.5 * self.v)
        self.x += 0.1 * self.v
        self.ph += 0.1
        return self._obs(), -(self.x - np.sin(self.ph)) ** 2 - 0.001 * float(a[0]) ** 2, False, False, {}


class Ensemble(nn.Module):
    def __init__(self, k, i, h=48):
        super().__init__()
        self.w = nn.ParameterList([nn.Parameter(torch.randn(k, a, b) * (2 / a) ** 0.5 * s) for a, b, s in ((i, h, 1), (h, h, 1), (h, 1, 0.3))])
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(k, 1, n)) for n in (h, h, 1)])

    def forward(self, s, a):
        x = torch.cat([s, a], -1).expand(M, -1, -1)
        for j in range(3):
            x = torch.baddbmm(self.b[j], x, self.w[j])
            if j < 2:
                x = torch.relu(x)
        return x.squeeze(-1)


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, s):
        mu, ls = self.f(s).chunk(2, -1)
        ls = -4 + 2.5 * (torch.tanh(ls) + 1)
        d = torch.distributions.Normal(mu, ls.exp())
        u = d.rsample()
        logp = d.log_prob(u) - 2 * (np.log(2) - u - nn.functional.softplus(-2 * u))
        return torch.tanh(u), logp.sum(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=4500)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.wrappers.TimeLimit(Slider(), 100)
    q, pi = Ensemble(M, 5), Actor()
    qt = copy.deepcopy(q).requires_grad_(False)
    q_opt, pi_opt = torch.optim.Adam(q.parameters(), lr=1e-3), torch.optim.Adam(pi.parameters(), lr=1e-3)
    log_alpha = torch.zeros(1, requires_grad=True)
    al_opt = torch.optim.Adam([log_alpha], lr=1e-3)
    gamma, buf = 0.97, []
    s, _ = env.reset(seed=args.seed)
    total, hist = 0.0, []
    for k in range(args.steps):
        if k < 500:
            a = rng.uniform(-1, 1, 1)
        else:
            with torch.no_grad():
                a = pi(torch.from_numpy(s)[None])[0][0].numpy()
        s2, r, term, cut, _ = env.step(ACT * a)
        buf.append((s, a, [r], s2, [float(term)]))
        s, total = s2, total + r
        if term or cut:
            hist.append(total)
            total = 0.0
            s, _ = env.reset()
        if k >= 500:
            S, A, R, S2, D = (torch.from_numpy(np.array(z)) for z in zip(*[buf[i] for i in rng.integers(0, len(buf), 64)]))
            alpha = log_alpha.exp().detach()
            with torch.no_grad():
                a2, lp2 = pi(S2)
                pair = rng.choice(M, 2, replace=False)
                y = R[:, 0] + gamma * (1 - D[:, 0]) * (qt(S2, a2)[pair].min(0).values - alpha * lp2)
            q_loss = (q(S, A) - y).pow(2).mean(1).sum()
            q_opt.zero_grad(); q_loss.backward(); q_opt.step()
            an, lp = pi(S)
            pi_loss = (alpha * lp - q(S, an).mean(0)).mean()
            pi_opt.zero_grad(); pi_loss.backward(); pi_opt.step()
            al_loss = -(log_alpha * (lp.detach() - 1.0)).mean()  # target entropy -1
            al_opt.zero_grad(); al_loss.backward(); al_opt.step()
            with torch.no_grad():
                for p, t in zip(q.parameters(), qt.parameters()):
                    t.lerp_(p, 0.01)
        if k % 500 == 499:
            print(f"{k + 1} return {np.mean(hist[-5:]):.1f} alpha {log_alpha.exp().item():.3f}")


main()
