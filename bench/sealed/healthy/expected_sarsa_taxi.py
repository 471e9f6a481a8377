"""Expected SARSA with a network on a small pick-up task: no replay, 16 environments in lock-step, target network, eps decays."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class MiniTaxi(gym.Env):
    """4x4: pick up at one of 4 corners, bring to another. Discrete states, Taxi's rewards (-1, -10, +20)."""
    C = [(0, 0), (0, 3), (3, 0), (3, 3)]

    def __init__(self):
        self.observation_space = gym.spaces.MultiDiscrete([4, 4, 5, 4])
        self.action_space = gym.spaces.Discrete(5)

    def _obs(self):
        return np.array([self.r, self.c, self.p, self.g], np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.r, self.c = self.np_random.integers(4), self.np_random.integers(4)
        self.p, self.g = self.np_random.permutation(4)[:2]
        return self._obs(), {}

    def step(self, a):
        if a < 4:
            dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][a]
            self.r, self.c = min(3, max(0, self.r + dr)), min(3, max(0, self.c + dc))
            return self._obs(), -1.0, False, False, {}
        here = (self.r, self.c)
        if self.p < 4 and here == self.C[self.p]:
            self.p = 4
            return self._obs(), -1.0, False, False, {}
        if self.p == 4 and here == self.C[self.g]:
            return self._obs(), 20.0, True, False, {}
        return self._obs(), -10.0, False, False, {}


def encode(obs):
    obs = torch.from_numpy(obs)
    return torch.cat([nn.functional.one_hot(obs[:, i], n) for i, n in enumerate((4, 4, 5, 4))], 1).float()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--iterations", type=int, default=7000)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    N, gamma = 16, 0.95
    envs = [gym.wrappers.TimeLimit(MiniTaxi(), 100) for _ in range(N)]
    obs = np.stack([e.reset(seed=args.seed * 50 + i)[0] for i, e in enumerate(envs)])
    make = lambda: nn.Sequential(nn.Linear(17, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 5))
    q, slow = make(), make()
    slow.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    score, hist = np.zeros(N), []
    for it in range(args.iterations):
        eps = max(0.05, 1 - it / 4000)
        x = encode(obs)
        with torch.no_grad():
            greedy = q(x).argmax(1).numpy()
        act = np.where(rng.random(N) < eps, rng.integers(0, 5, N), greedy)
        nxt, new, rew, term = obs.copy(), obs.copy(), np.zeros(N, np.float32), np.zeros(N, np.float32)
        for i, e in enumerate(envs):
            o, r, te, tr, _ = e.step(int(act[i]))
            nxt[i], rew[i], term[i] = o, r, te
            score[i] += r
            if te or tr:
                hist.append(score[i])
                score[i] = 0
                o, _ = e.reset()
            new[i] = o
        with torch.no_grad():
            q2 = slow(encode(nxt))
            expected = (1 - eps) * q2.max(1).values + eps * q2.mean(1)
            y = torch.from_numpy(rew) + gamma * (1 - torch.from_numpy(term)) * expected
        obs = new
        pred = q(x)[torch.arange(N), torch.from_numpy(act)]
        loss = nn.functional.huber_loss(pred, y, delta=5.0)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 50 == 0:
            slow.load_state_dict(q.state_dict())
        if it % 700 == 699:
            print(f"{it + 1} return {np.mean(hist[-60:]):.1f} eps {eps:.2f}")


main()
