"""Munchausen DQN on a windy cliff (one-hot states, rewards all negative, no time limit is needed: walls push home)."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

W, H = 7, 4


class WindyCliff(gym.Env):
    def __init__(self):
        self.observation_space = gym.spaces.Discrete(W * H)
        self.action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y = 0, 0
        return self.y * W + self.x, {}

    def step(self, a):
        dx, dy = [(1, 0), (-1, 0), (0, 1), (0, -1)][a]
        if self.np_random.random() < 0.05:
            dx, dy = 0, -1  # a gust towards the cliff
        self.x, self.y = min(W - 1, max(0, self.x + dx)), min(H - 1, max(0, self.y + dy))
        if self.y == 0 and 0 < self.x < W - 1:
            return self.y * W + self.x, -30.0, True, False, {}
        goal = self.y == 0 and self.x == W - 1
        return self.y * W + self.x, -1.0, goal, False, {}


class Q(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(W * H, 64)
        self.out = nn.Linear(64, 4)

    def forward(self, s):
        return self.out(F.relu(self.emb(s)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--steps", type=int, default=14000)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = WindyCliff()
    q, target = Q(), Q()
    target.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    gamma, tau, m_alpha, lo = 0.97, 0.3, 0.9, -1.0
    mem = []
    s, _ = env.reset(seed=args.seed)
    ret, hist = 0.0, []
    for step in range(args.steps):
        with torch.no_grad():  # the policy is the softmax of Q / tau; a share of uniform actions at the beginning
            probs = F.softmax(q(torch.tensor([s]))[0].double() / tau, -1).numpy()
        a = int(rng.choice(4, p=probs / probs.sum())) if rng.random() > max(0.02, 1 - step / 6000) else int(rng.integers(4))
        s2, r, term, _, _ = env.step(a)
        mem.append((s, a, r, s2, float(term)))
        s, ret = s2, ret + r
        if term:
            hist.append(ret)
            ret = 0.0
            s, _ = env.reset()
        if step >= 500 and step % 2 == 0:
            pick = rng.integers(0, len(mem), 64)
            S, A, R, S2, D = map(np.array, zip(*[mem[i] for i in pick]))
            S, A, S2 = torch.from_numpy(S), torch.from_numpy(A), torch.from_numpy(S2)
            R, D = torch.from_numpy(R).float(), torch.from_numpy(D).float()
            with torch.no_grad():
                lp2 = F.log_softmax(target(S2) / tau, -1)
                v2 = (lp2.exp() * (target(S2) - tau * lp2)).sum(-1)
                bonus = (tau * F.log_softmax(target(S) / tau, -1).gather(1, A[:, None])[:, 0]).clamp(lo, 0)
                y = R + m_alpha * bonus + gamma * (1 - D) * v2
            loss = F.smooth_l1_loss(q(S).gather(1, A[:, None])[:, 0], y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if step % 200 == 0:
            target.load_state_dict(q.state_dict())
        if step % 2000 == 1999:
            print(f"{step + 1} return {np.mean(hist[-40:]):.1f} loss {loss.item():.3f}")


main()
