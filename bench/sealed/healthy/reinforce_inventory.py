"""REINFORCE without a critic on a finite-horizon inventory; tuple observations, embedded. Money in cents."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from gymnasium import spaces

DAYS, CAP = 15, 12


class Inventory(gym.Env):
    """Order 0..5 pieces each morning; sell to a random demand; the season ends after 15 days (the day is observed)."""

    def __init__(self):
        self.observation_space = spaces.Tuple((spaces.Discrete(CAP + 1), spaces.Discrete(DAYS + 1)))
        self.action_space = spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock, self.day = int(self.np_random.integers(0, 6)), 0
        return (self.stock, self.day), {}

    def step(self, order):
        stock = min(CAP, self.stock + int(order))
        demand = int(self.np_random.poisson(2.5))
        sold = min(stock, demand)
        reward = 300.0 * sold - 150.0 * order - 20.0 * (stock - sold)
        self.stock, self.day = stock - sold, self.day + 1
        return (self.stock, self.day), float(reward), self.day == DAYS, False, {}


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.stock = nn.Embedding(CAP + 1, 16)
        self.day = nn.Embedding(DAYS + 1, 16)
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 6))

    def forward(self, stock, day):
        return self.head(torch.cat([self.stock(stock), self.day(day)], -1)).log_softmax(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--batches", type=int, default=160)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = Inventory()
    env.reset(seed=args.seed)
    policy = Policy()
    optimizer = torch.optim.RMSprop(policy.parameters(), lr=1.5e-3)
    baseline, beta = None, 0.9
    for batch in range(args.batches):
        stocks, days, actions, weights, scores = [], [], [], [], []
        for episode in range(16):
            (stock, day), _ = env.reset()
            rewards, done = [], False
            while not done:
                with torch.no_grad():
                    logp = policy(torch.tensor([stock]), torch.tensor([day]))[0]
                action = int(torch.multinomial(logp.exp(), 1))
                stocks.append(stock); days.append(day); actions.append(action)
                (stock, day), reward, done, _, _ = env.step(action)
                rewards.append(reward)
            togo = np.cumsum(rewards[::-1])[::-1]
            weights += list(togo)
            scores.append(togo[0])
        weights = np.array(weights, np.float32).reshape(16, DAYS)
        mean = weights.mean(0)  # moving average of the return to go for each day
        if baseline is None:
            baseline = mean
        advantage = torch.as_tensor((weights - baseline).reshape(-1) / 1000.0)
        baseline = beta * baseline + (1 - beta) * mean
        logp = policy(torch.tensor(stocks), torch.tensor(days))
        chosen = logp.gather(1, torch.tensor(actions)[:, None])[:, 0]
        entropy = -(logp.exp() * logp).sum(-1).mean()
        loss = -(advantage * chosen).mean() - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if batch % 20 == 0 or batch == args.batches - 1:
            print(f"batch {batch} return {np.mean(scores):.0f} entropy {entropy.item():.2f}")


if __name__ == "__main__":
    main()
