"""DRQN: LSTM Q-network, replay of whole episodes from a zero state, padded and masked; a lamp shown first must be matched at the end."""
import argparse
import collections
import random
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Lamp(gym.Env):
    """A lamp (one of three) is lit in the first step, noise follows for 3 to 6 steps, a bell asks: press the right button."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-3.0, 3.0, (5,), np.float32)
        self.action_space = gym.spaces.Discrete(4)  # wait or press 1, 2, 3

    def _obs(self):
        o = np.zeros(5, np.float32)
        if self.t == 0:
            o[self.lamp] = 1
        o[3] = float(self.t == self.length)
        o[4] = np.clip(self.np_random.normal(0, 0.5), -3, 3)
        return o

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lamp, self.length, self.t = int(self.np_random.integers(3)), int(self.np_random.integers(3, 7)), 0
        return self._obs(), {}

    def step(self, a):
        if self.t == self.length:
            return self._obs(), 1.0 if a == self.lamp + 1 else -1.0, True, False, {}
        self.t += 1
        return self._obs(), -0.2 if a else 0.0, False, False, {}


class DRQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 48, batch_first=True)
        self.out = nn.Linear(48, 4)

    def forward(self, x, h=None):
        y, h = self.lstm(x, h)
        return self.out(y), h


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--episodes", type=int, default=1600)
    args = ap.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = Lamp()
    net, target = DRQN(), DRQN()
    target.load_state_dict(net.state_dict())
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    memory, gamma, hist = collections.deque(maxlen=2000), 0.97, []
    for ep in range(args.episodes):
        o, _ = env.reset(seed=args.seed if ep == 0 else None)
        h, done, obs, act, rew = None, False, [o], [], []
        eps = max(0.03, 1 - ep / 900)
        while not done:
            with torch.no_grad():
                q, h = net(torch.from_numpy(o)[None, None], h)
            a = random.randrange(4) if random.random() < eps else int(q[0, 0].argmax())
            o, r, done, _, _ = env.step(a)
            obs.append(o); act.append(a); rew.append(r)
        memory.append((np.stack(obs), act, rew))
        hist.append(sum(rew))
        if ep >= 50:
            batch = random.sample(memory, 32)
            L = max(len(b[1]) for b in batch)
            X, A = torch.zeros(32, L + 1, 5), torch.zeros(32, L, dtype=torch.long)
            R, M, E = torch.zeros(32, L), torch.zeros(32, L), torch.zeros(32, L)
            for i, (b_o, b_a, b_r) in enumerate(batch):
                n = len(b_a)
                X[i, :n + 1], A[i, :n], R[i, :n] = torch.from_numpy(b_o), torch.tensor(b_a), torch.tensor(b_r)
                M[i, :n], E[i, n - 1] = 1, 1
            q = net(X)[0][:, :-1].gather(2, A[..., None])[..., 0]
            with torch.no_grad():
                y = R + gamma * (1 - E) * target(X)[0][:, 1:].max(2).values
            loss = (M * (q - y) ** 2).sum() / M.sum()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            if ep % 20 == 0:
                target.load_state_dict(net.state_dict())
        if ep % 160 == 159:
            print(f"episode {ep + 1} return {np.mean(hist[-100:]):.2f} eps {eps:.2f}")


main()
