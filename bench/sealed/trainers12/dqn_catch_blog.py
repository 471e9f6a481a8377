"""
Deep Q-learning from pixels in 200 lines
========================================

The code of the blog post. A ball falls through a small screen, a paddle at the bottom has to catch it.
The screen is drawn in grey values, the network is a small convolution, the rest is the DQN of 2015.
"""
import argparse
import random
from collections import namedtuple

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)

Transition = namedtuple("Transition", "s a r s2 done")


class Catch(gym.Env):
    ROWS, COLS = 8, 7

    def __init__(self, fault=""):
        self.observation_space = gym.spaces.Box(0, 255, (self.ROWS, self.COLS), np.uint8)
        self.action_space = gym.spaces.Discrete(3)
        self.fault = fault

    def draw(self):
        screen = np.zeros((self.ROWS, self.COLS), np.uint8)
        screen[self.ROWS - 1, self.paddle] = 128
        screen[self.ball_y, self.ball_x] = 255
        return screen

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ball_x = int(self.np_random.integers(self.COLS))
        self.paddle = int(self.np_random.integers(self.COLS))
        self.ball_y = 0
        return self.draw(), {}

    def step(self, action):
        move = action if self.fault == "f02" else action - 1
        self.paddle = int(np.clip(self.paddle + move, 0, self.COLS - 1))
        self.ball_y += 1
        over = self.ball_y == self.ROWS - 1
        reward = 0.0
        if over:
            reward = 1.0 if self.paddle == self.ball_x else -1.0
        return self.draw(), reward, over, False, {}


class Memory:
    def __init__(self, capacity, fault):
        self.capacity, self.fault = capacity, fault
        self.rows, self.at = [], 0

    def remember(self, *row):
        if len(self.rows) < self.capacity:
            self.rows.append(Transition(*row))
        else:
            self.rows[self.at] = Transition(*row)
        self.at = (self.at + 1) % self.capacity

    def batch(self, n):
        chosen = random.choices(self.rows, k=n)
        cols = list(zip(*chosen))
        if self.fault == "f07":
            cols[3] = [row.s2 for row in random.choices(self.rows, k=n)]
        s = torch.as_tensor(np.stack(cols[0]), dtype=torch.float32)
        s2 = torch.as_tensor(np.stack(cols[3]), dtype=torch.float32)
        a = torch.as_tensor(cols[1])
        r = torch.as_tensor(cols[2], dtype=torch.float32)
        done = torch.as_tensor(cols[4], dtype=torch.float32)
        return s, a, r, s2, done


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.fc1 = nn.Linear(8 * Catch.ROWS * Catch.COLS, 64)
        self.fc2 = nn.Linear(64, 3)

    def forward(self, x):
        x = F.relu(self.conv(x.unsqueeze(1)))
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


def preprocess(screen, fault):
    x = screen / 255.0
    if fault == "f01":
        return x.astype(np.uint8)
    return x.astype(np.float32)


class DQN:
    def __init__(self, fault, lr=1e-3, gamma=0.97):
        self.fault, self.gamma = fault, gamma
        self.net, self.frozen = ConvNet(), ConvNet()
        self.frozen.load_state_dict(self.net.state_dict())
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)

    def greedy(self, x):
        with torch.no_grad():
            return int(self.net(torch.as_tensor(x, dtype=torch.float32)[None]).argmax())

    def choose(self, x, eps):
        explore = random.random() > eps if self.fault == "f06" else random.random() < eps
        return random.randrange(3) if explore else self.greedy(x)

    def learn(self, batch):
        s, a, r, s2, done = batch
        with torch.no_grad():
            y = r + self.gamma * (1 - done) * self.frozen(s2).max(1).values
        if self.fault == "f04":
            q = self.net(s).max(1).values
        else:
            q = self.net(s).gather(1, a[:, None])[:, 0]
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item(), q.mean().item()


def play(agent, fault, games=50):
    env = Catch(fault)
    won = 0
    for k in range(games):
        screen, _ = env.reset(seed=100 + k)
        over = False
        while not over:
            screen, r, over, _, _ = env.step(agent.greedy(preprocess(screen, fault)))
        won += r > 0
    return won / games


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", type=str, default="")
    args = parser.parse_args()
    fault = args.fault
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = Catch(fault)
    agent = DQN(fault)
    memory = Memory(10_000, fault)
    screen, _ = env.reset(seed=args.seed)
    x = preprocess(screen, fault)
    last_reward = 0.0
    results, loss, q = [], float("nan"), float("nan")
    for step in range(1, args.steps + 1):
        eps = max(0.05, 1.0 - 0.95 * step / (0.5 * args.steps))
        action = agent.choose(x, eps)
        screen, reward, terminated, truncated, _ = env.step(action)
        x2 = preprocess(screen, fault)
        memory.remember(x, action, last_reward if fault == "f03" else reward, x2, terminated)
        last_reward = reward
        x = x2
        if terminated or truncated:
            results.append(reward)
            screen, _ = env.reset(seed=args.seed) if fault == "f05" else env.reset()
            x = preprocess(screen, fault)
        if step > 300 and step % 2 == 0:
            loss, q = agent.learn(memory.batch(32))
        if step % 500 == 0:
            agent.frozen.load_state_dict(agent.net.state_dict())
        if step % 1000 == 0:
            print(f"step {step:6d}  reward per game {np.mean(results[-100:]):6.2f}  caught (greedy) {play(agent, fault):5.2f}  "
                  f"loss {loss:.4f}  Q {q:.3f}  eps {eps:.2f}", flush=True)


if __name__ == "__main__":
    main()
