"""DQN with hindsight experience replay on bit flipping (Andrychowicz et al. 2017, section 3.1)."""
import argparse
import collections
import random
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from gymnasium import spaces

N = 8


class BitFlip(gym.Env):
    """Flip bits until they equal the goal. -1 a step, 0 when they do; the episode ends there."""

    def __init__(self):
        bits = spaces.MultiBinary(N)
        self.observation_space = spaces.Dict(observation=bits, achieved_goal=bits, desired_goal=bits)
        self.action_space = spaces.Discrete(N)

    def _obs(self):
        return {"observation": self.x.copy(), "achieved_goal": self.x.copy(), "desired_goal": self.g.copy()}

    def compute_reward(self, achieved, desired):
        return 0.0 if (achieved == desired).all() else -1.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.integers(0, 2, N).astype(np.int8)
        self.g = self.x.copy()
        while (self.g == self.x).all():
            self.g = self.np_random.integers(0, 2, N).astype(np.int8)
        return self._obs(), {}

    def step(self, a):
        self.x[a] ^= 1
        r = self.compute_reward(self.x, self.g)
        return self._obs(), r, r == 0.0, False, {}


class UVF(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(2 * N, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, N))

    def forward(self, s, g):
        return self.f(torch.cat([s, g], -1) * 2 - 1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--episodes", type=int, default=900)
    args = p.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    base = BitFlip()
    env = gym.wrappers.TimeLimit(base, N + 4)
    q, target = UVF(), UVF()
    target.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    memory = collections.deque(maxlen=50000)
    gamma, wins = 0.95, []
    for ep in range(args.episodes):
        obs, _ = env.reset(seed=args.seed if ep == 0 else None)
        eps, path, done = max(0.05, 0.6 - ep / 500), [], False
        while not done:
            s, g = obs["observation"], obs["desired_goal"]
            if random.random() < eps:
                a = random.randrange(N)
            else:
                with torch.no_grad():
                    a = q(torch.as_tensor(s[None], dtype=torch.float32), torch.as_tensor(g[None], dtype=torch.float32)).argmax().item()
            obs, r, terminated, truncated, _ = env.step(a)
            path.append((s, a, obs["achieved_goal"], g, r, terminated))
            done = terminated or truncated
        wins.append(float(terminated))
        for t, (s, a, s2, g, r, term) in enumerate(path):
            memory.append((s, a, r, s2, g, 1.0 - term))
            for _ in range(4):  # "future": a goal that was reached later in the same episode
                new = path[random.randrange(t, len(path))][2]
                rr = base.compute_reward(s2, new)
                memory.append((s, a, rr, s2, new, 0.0 if rr == 0.0 else 1.0))
        if len(memory) > 500:
            for _ in range(8):
                s, a, r, s2, g, m = zip(*random.sample(memory, 128))
                s, s2, g = (torch.as_tensor(np.array(z), dtype=torch.float32) for z in (s, s2, g))
                r, m, a = torch.tensor(r), torch.tensor(m), torch.tensor(a)
                with torch.no_grad():
                    y = (r + gamma * m * target(s2, g).max(1).values).clamp(-1 / (1 - gamma), 0)
                loss = nn.functional.mse_loss(q(s, g).gather(1, a[:, None])[:, 0], y)
                opt.zero_grad()
                loss.backward()
                opt.step()
            with torch.no_grad():
                for w, tw in zip(q.parameters(), target.parameters()):
                    tw.mul_(0.95).add_(w, alpha=0.05)
        if ep % 100 == 99:
            print(f"episode {ep + 1} success {np.mean(wins[-100:]):.2f} loss {loss.item():.3f}")


main()
