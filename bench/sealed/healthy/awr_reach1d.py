"""Advantage-weighted regression: replay of whole episodes, TD(lambda) targets, weights exp(A / beta), state-dependent std."""
import argparse
import collections
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Independent, Normal


class Cart1D(gym.Env):
    """Push a mass to the middle and hold it; the observation mixes metres, millimetres per second and a constant load."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float64)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float64)

    def _obs(self):
        return np.array([self.x, 1000 * self.v, self.load])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v, self.load = self.np_random.uniform(-1, 1), 0.0, self.np_random.uniform(-0.3, 0.3)
        return self._obs(), {}

    def step(self, a):
        f = float(np.clip(a[0], -1, 1)) + self.load
        self.v = 0.9 * self.v + 0.05 * f
        self.x += self.v
        lost = abs(self.x) > 3
        reward = 1.0 - min(1.0, abs(self.x)) - (10.0 if lost else 0.0)
        return self._obs(), reward, lost, False, {}


class Gaussian(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.mu, self.log_std = nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return Independent(Normal(torch.tanh(self.mu(h)), self.log_std(h).clamp(-2.5, 0.0).exp()), 1)


def prep(o):
    return torch.as_tensor(o * np.array([1.0, 0.005, 3.0]), dtype=torch.float32)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = gym.wrappers.TimeLimit(Cart1D(), 80)
    env.reset(seed=args.seed)
    pi = Gaussian()
    v = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    pi_opt, v_opt = torch.optim.Adam(pi.parameters(), lr=1e-3), torch.optim.Adam(v.parameters(), lr=1e-3)
    gamma, lam, beta = 0.95, 0.9, 0.5
    episodes = collections.deque(maxlen=100)
    for it in range(40):
        scores = []
        for _ in range(10):
            o, _ = env.reset()
            obs, act, rew, term, cut = [o], [], [], False, False
            while not (term or cut):
                with torch.no_grad():
                    a = pi(prep(o)).sample()
                o, r, term, cut, _ = env.step(a.double().numpy())
                obs.append(o); act.append(a); rew.append(r)
            episodes.append((prep(np.array(obs)), torch.stack(act), rew, term))
            scores.append(sum(rew))

        def targets():
            out = []
            for X, A, R, ended in episodes:
                with torch.no_grad():
                    val = v(X).squeeze(-1)
                if ended:
                    val[-1] = 0.0
                g, ys = val[-1], []
                for t in reversed(range(len(R))):  # lambda-return, backwards
                    g = R[t] + gamma * ((1 - lam) * val[t + 1] + lam * g)
                    ys.append(g)
                out.append(torch.stack(ys[::-1]))
            return torch.cat(out)

        X, A = torch.cat([e[0][:-1] for e in episodes]), torch.cat([e[1] for e in episodes])
        Y = targets()
        for _ in range(60):
            i = torch.randint(len(X), (256,))
            loss_v = (v(X[i]).squeeze(-1) - Y[i]).pow(2).mean()
            v_opt.zero_grad(); loss_v.backward(); v_opt.step()
        Y = targets()
        with torch.no_grad():
            adv = Y - v(X).squeeze(-1)
            weight = ((adv - adv.mean()) / (adv.std() + 1e-6) / beta).exp().clamp(max=20.0)
        for _ in range(100):
            i = torch.randint(len(X), (256,))
            loss_pi = -(weight[i] * pi(X[i]).log_prob(A[i])).mean()
            pi_opt.zero_grad(); loss_pi.backward(); pi_opt.step()
        if it % 5 == 4 or it == 0:
            print(f"iteration {it + 1} return {np.mean(scores):.2f} value loss {loss_v.item():.3f}")


if __name__ == "__main__":
    main()
