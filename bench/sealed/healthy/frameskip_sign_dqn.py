"""DQN whose loop repeats each action 4 times itself and clips summed rewards to their sign, as for Atari; losing a life
ends an episode for the learner but not for the environment."""
import argparse
import copy
import random
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Dodge(gym.Env):
    """Rocks fall in 5 lanes; be elsewhere. 3 lives; +10 for each rock that passes, the game is over with the last life."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (7,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        o = np.zeros(7, np.float32)
        o[0], o[1] = self.x / 16, self.y / 16
        o[2 + self.lane] = 1
        return o

    def _rock(self):
        self.lane, self.y = int(self.np_random.integers(5)), 16

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.lives = 8, 3
        self._rock()
        return self._obs(), {"lives": 3}

    def step(self, a):
        self.x = min(16, max(0, self.x + a - 1))
        self.y -= 1
        r = 0.0
        if self.y == 0:
            if abs(self.x - 4 * self.lane) <= 5:
                self.lives -= 1
            else:
                r = 10.0
            self._rock()
        return self._obs(), r, self.lives == 0, False, {"lives": self.lives}


def skip(env, a, lives, n=4):
    total, lost = 0.0, False
    for _ in range(n):
        o, r, term, trunc, info = env.step(a)
        total += r
        if info["lives"] < lives:
            lost = True
            break
        if term or trunc:
            break
    return o, total, term, trunc, info["lives"], lost


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--decisions", type=int, default=9000)
    args = ap.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = gym.wrappers.TimeLimit(Dodge(), 1600)
    q = nn.Sequential(nn.Linear(7, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    frozen = copy.deepcopy(q)
    opt = torch.optim.RMSprop(q.parameters(), lr=5e-4, alpha=0.95, eps=0.01, centered=True)
    memory, gamma = [], 0.9
    s, info = env.reset(seed=args.seed)
    lives, score, hist = 3, 0.0, []
    for k in range(args.decisions):
        if random.random() < max(0.05, 1 - k / 4000):
            a = random.randrange(3)
        else:
            with torch.no_grad():
                a = q(torch.from_numpy(s)).argmax().item()
        s2, r, term, trunc, lives, lost = skip(env, a, lives)
        memory.append((s, a, float(np.sign(r)), s2, float(lost)))  # every end of this game is a lost life
        score += r
        s = s2
        if term or trunc:
            hist.append(score)
            score = 0.0
            s, info = env.reset()
            lives = info["lives"]
        if k > 500 and k % 1 == 0:
            S, A, R, S2, L = zip(*random.sample(memory, 32))
            S, S2 = torch.from_numpy(np.stack(S)), torch.from_numpy(np.stack(S2))
            A, R, L = torch.tensor(A), torch.tensor(R), torch.tensor(L)
            with torch.no_grad():
                y = R + gamma * (1 - L) * frozen(S2).max(1)[0]
            loss = F.smooth_l1_loss(q(S).gather(1, A.unsqueeze(1)).squeeze(1), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if k % 300 == 0:
            frozen.load_state_dict(q.state_dict())
        if k % 1000 == 999:
            print(f"{k + 1} return {np.mean(hist[-8:]):.1f} games {len(hist)}")


main()
