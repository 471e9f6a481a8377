"""Double DQN with a hard target on Acrobot: returns sit at -500 for a long while, then rise. Rewards all negative. torch SGD-free: NAdam."""
import argparse
import random
import gymnasium as gym
import numpy as np
import torch
from torch import nn, optim


class QNet(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(d, 64), nn.Linear(64, 64), nn.Linear(64, n)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


class Agent:
    def __init__(self, d, n, lr=5e-4, gamma=0.99, sync=500):
        self.n, self.gamma, self.sync, self.learned = n, gamma, sync, 0
        self.online, self.frozen = QNet(d, n), QNet(d, n)
        self.frozen.load_state_dict(self.online.state_dict())
        self.frozen.eval()
        self.opt = optim.NAdam(self.online.parameters(), lr=lr)
        self.memory = []

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(self.n)
        with torch.no_grad():
            return self.online(torch.from_numpy(s).unsqueeze(0)).argmax(1).item()

    def learn(self, size=64):
        s, a, r, s2, nd = zip(*random.sample(self.memory, size))
        s, s2 = torch.from_numpy(np.stack(s)), torch.from_numpy(np.stack(s2))
        a, r, nd = torch.tensor(a).unsqueeze(1), torch.tensor(r).unsqueeze(1), torch.tensor(nd).unsqueeze(1)
        q = self.online(s).gather(1, a)
        with torch.no_grad():
            choice = self.online(s2).argmax(1, keepdim=True)
            target = r + self.gamma * nd * self.frozen(s2).gather(1, choice)
        loss = nn.functional.smooth_l1_loss(q, target)
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10)
        self.opt.step()
        self.learned += 1
        if self.learned % self.sync == 0:
            self.frozen.load_state_dict(self.online.state_dict())
        return loss.item()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--steps", type=int, default=18000)
    cfg = p.parse_args()
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    env = gym.make("Acrobot-v1")
    agent = Agent(6, 3)
    s, _ = env.reset(seed=cfg.seed)
    score, scores, loss = 0.0, [], 0.0
    for t in range(1, cfg.steps + 1):
        a = agent.act(s, max(0.05, 1.0 - t / 8000))
        s2, r, terminated, truncated, _ = env.step(a)
        agent.memory.append((s, a, float(r), s2, 0.0 if terminated else 1.0))
        s, score = s2, score + r
        if terminated or truncated:
            scores.append(score)
            score = 0.0
            s, _ = env.reset()
        if t > 1000 and t % 2 == 0:
            loss = agent.learn()
        if t % 2000 == 0:
            print(f"step {t} episodes {len(scores)} return {np.mean(scores[-10:]):.1f} loss {loss:.4f}")
