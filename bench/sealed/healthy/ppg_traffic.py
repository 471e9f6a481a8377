"""A small phasic policy gradient: policy phases with PPO, an auxiliary phase that distils values into the policy network.
Huber value losses, EMA of the policy for evaluation, rewards divided by 100 on purpose."""
import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical, kl_divergence


class Traffic(gym.Env):
    """Two queues at a crossing; the light may be switched, which costs two steps of nothing. Cars per lane up to 60."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 60.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(2)

    def _obs(self):
        return np.array([*self.q, self.green, self.idle], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.integers(0, 20, 2).astype(float)
        self.green, self.idle = int(self.np_random.integers(2)), 0
        return self._obs(), {}

    def step(self, a):
        if a == 1:
            self.green, self.idle = 1 - self.green, 2
        if self.idle:
            self.idle -= 1
        else:
            self.q[self.green] = max(0.0, self.q[self.green] - 5)
        self.q = np.minimum(60, self.q + self.np_random.poisson([1.2, 1.8]))
        return self._obs(), -float(self.q.sum()), False, False, {}


def trunk():
    return nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())


class PolicyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.pi, self.aux = trunk(), nn.Linear(64, 2), nn.Linear(64, 1)

    def forward(self, x):
        h = self.trunk(x)
        return Categorical(logits=self.pi(h)), self.aux(h).squeeze(-1)


SCALE = torch.tensor([20.0, 20.0, 1.0, 1.0])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = gym.wrappers.TimeLimit(Traffic(), 100)
    policy, value = PolicyNet(), nn.Sequential(trunk(), nn.Linear(64, 1))
    ema = copy.deepcopy(policy).requires_grad_(False)
    p_opt, v_opt = torch.optim.Adam(policy.parameters(), lr=7e-4), torch.optim.Adam(value.parameters(), lr=1e-3)
    gamma, lam, T = 0.97, 0.95, 800
    o, _ = env.reset(seed=args.seed)
    total, hist, kept = 0.0, [], []
    for phase in range(36):
        O, O2, A, LP, R, E = [], [], [], [], [], []
        for _ in range(T):
            x = torch.from_numpy(o) / SCALE
            with torch.no_grad():
                d, _ = policy(x)
                a = d.sample()
            o, r, _, cut, _ = env.step(int(a))
            O.append(x); O2.append(torch.from_numpy(o) / SCALE); A.append(a); LP.append(d.log_prob(a)); R.append(r / 100); E.append(float(cut))
            total += r
            if cut:
                hist.append(total)
                total = 0.0
                o, _ = env.reset()
        O, O2, A, LP = torch.stack(O), torch.stack(O2), torch.stack(A), torch.stack(LP)
        with torch.no_grad():
            v, v2 = value(O).squeeze(-1), value(O2).squeeze(-1)
        adv, g = torch.zeros(T), 0.0
        for t in reversed(range(T)):
            g = R[t] + gamma * v2[t] - v[t] + gamma * lam * (1 - E[t]) * g
            adv[t] = g
        ret = adv + v
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        kept.append((O, ret))
        for _ in range(4):
            for i in torch.randperm(T).split(200):
                d, _ = policy(O[i])
                ratio = (d.log_prob(A[i]) - LP[i]).exp()
                p_loss = -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean() - 0.01 * d.entropy().mean()
                p_opt.zero_grad(); p_loss.backward(); p_opt.step()
                v_loss = F.huber_loss(value(O[i]).squeeze(-1), ret[i])
                v_opt.zero_grad(); v_loss.backward(); v_opt.step()
        if phase % 6 == 5:  # auxiliary phase over everything kept
            X, Y = torch.cat([k[0] for k in kept]), torch.cat([k[1] for k in kept])
            with torch.no_grad():
                old = policy(X)[0].logits
            for _ in range(3):
                for i in torch.randperm(len(X)).split(600):
                    d, aux = policy(X[i])
                    joint = F.huber_loss(aux, Y[i]) + kl_divergence(Categorical(logits=old[i]), d).mean()
                    p_opt.zero_grad(); joint.backward(); p_opt.step()
                    v_loss = F.huber_loss(value(X[i]).squeeze(-1), Y[i])
                    v_opt.zero_grad(); v_loss.backward(); v_opt.step()
            kept.clear()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), policy.parameters()):
                e.lerp_(p, 0.3)
        if phase % 5 == 0 or phase == 35:
            print(f"phase {phase} return {np.mean(hist[-8:]):.0f} value loss {v_loss.item():.4f}")


main()
