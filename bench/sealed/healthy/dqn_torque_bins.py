"""DQN for Pendulum: the torque is one of five, chosen by index; observations are turned into an angle and Fourier features;
rewards are rescaled to about [-1, 0]."""
import argparse
import random
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

TORQUES = np.array([-2.0, -0.7, 0.0, 0.7, 2.0], np.float32)


def features(o):
    theta, v = np.arctan2(o[1], o[0]), o[2] / 8.0
    return np.array([np.cos(theta), np.sin(theta), np.cos(2 * theta), np.sin(2 * theta), v, v * np.cos(theta), v * np.sin(theta), v * v], np.float32)


class Brain(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU())
        self.head = nn.Linear(96, len(TORQUES))

    def forward(self, x):
        return self.head(self.net(x))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--steps", type=int, default=9000)
    args = p.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = gym.make("Pendulum-v1")
    q, target = Brain(), Brain()
    target.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    memory, total, hist = [], 0.0, []
    o, _ = env.reset(seed=args.seed)
    x = features(o)
    for k in range(1, args.steps + 1):
        if random.random() < max(0.05, 1 - k / 4000):
            a = random.randrange(5)
        else:
            with torch.no_grad():
                a = q(torch.from_numpy(x)).argmax().item()
        o, r, terminated, truncated, _ = env.step(TORQUES[a:a + 1])
        x2 = features(o)
        memory.append((x, a, r / 16.3, x2))  # this task is never terminated
        x, total = x2, total + r
        if terminated or truncated:
            hist.append(total)
            total = 0.0
            o, _ = env.reset()
            x = features(o)
        if k > 500 and k % 2 == 0:
            s, act, rew, s2 = zip(*random.sample(memory, 64))
            s, s2 = torch.from_numpy(np.stack(s)), torch.from_numpy(np.stack(s2))
            act, rew = torch.tensor(act), torch.tensor(rew, dtype=torch.float32)
            with torch.no_grad():
                best = q(s2).argmax(1, keepdim=True)
                y = rew + 0.97 * target(s2).gather(1, best)[:, 0]
            loss = (q(s).gather(1, act[:, None])[:, 0] - y).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            with torch.no_grad():
                for w, t in zip(q.parameters(), target.parameters()):
                    t.lerp_(w, 0.01)
        if k % 1000 == 0:
            print(f"{k} return {np.mean(hist[-5:]):.0f}")


main()
