"""PPO whose critic keeps its outputs preserved while targets are rescaled (PopArt); rewards of a few thousands; tanh Gaussian."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal


class Heater(gym.Env):
    """Heat a room (Celsius) against a changing outside; the bill and the discomfort are in cents of a big building."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-50.0, 80.0, (3,), np.float32)
        self.action_space = gym.spaces.Box(0.0, 10.0, (1,), np.float32)

    def _obs(self):
        return np.array([self.inside, self.outside, self.goal], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.inside, self.outside = self.np_random.uniform(5, 30), self.np_random.uniform(-10, 15)
        self.goal = self.np_random.uniform(18, 24)
        return self._obs(), {}

    def step(self, action):
        power = float(np.clip(action[0], 0, 10))
        self.outside += self.np_random.normal(0, 0.3) - 0.02 * (self.outside - 3)
        self.inside += 0.5 * power - 0.1 * (self.inside - self.outside)
        reward = -400.0 * abs(self.inside - self.goal) - 20.0 * power
        return self._obs(), reward, False, False, {}


class PopArt(nn.Module):
    def __init__(self, n, beta=0.1):
        super().__init__()
        self.lin = nn.Linear(n, 1)
        self.beta = beta
        for k, v in (("mu", 0.0), ("nu", 1.0), ("seen", 0.0)):
            self.register_buffer(k, torch.tensor(v))

    @property
    def sigma(self):
        return (self.nu - self.mu ** 2).clamp_min(1e-4).sqrt()

    def forward(self, h):
        return self.lin(h).squeeze(-1)  # in normalised units

    @torch.no_grad()
    def update(self, y):
        mu, sigma = self.mu.clone(), self.sigma.clone()
        b = self.beta if self.seen > 0 else torch.tensor(1.0)
        self.mu.lerp_(y.mean(), b)
        self.nu.lerp_((y ** 2).mean(), b)
        self.seen.fill_(1.0)
        self.lin.weight.mul_(sigma / self.sigma)
        self.lin.bias.mul_(sigma).add_(mu - self.mu).div_(self.sigma)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.log_std = nn.Parameter(torch.zeros(1))
        self.body = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.head = PopArt(64)

    def scale(self, o):
        return (o - torch.tensor([20.0, 3.0, 21.0])) / torch.tensor([10.0, 10.0, 3.0])

    def dist(self, o):
        return Normal(self.pi(self.scale(o)), self.log_std.exp())

    def value(self, o):
        return self.head(self.body(self.scale(o)))


def log_prob(d, u):  # of a = 5 + 5 tanh(u); constants kept
    return (d.log_prob(u) - 2 * (np.log(2) - u - nn.functional.softplus(-2 * u)) - np.log(5)).sum(-1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = gym.wrappers.TimeLimit(Heater(), 100)
    agent = Agent()
    opt = torch.optim.Adam(agent.parameters(), lr=1e-3)
    gamma, lam, T = 0.95, 0.95, 1000
    o, _ = env.reset(seed=args.seed)
    total, hist = 0.0, []
    for it in range(35):
        O, O2, U, LP, R, E = torch.zeros(T, 3), torch.zeros(T, 3), torch.zeros(T, 1), torch.zeros(T), torch.zeros(T), torch.zeros(T)
        for t in range(T):
            O[t] = torch.from_numpy(o)
            with torch.no_grad():
                d = agent.dist(O[t])
                U[t] = d.sample()
                LP[t] = log_prob(d, U[t])
            o, r, _, cut, _ = env.step((5 + 5 * torch.tanh(U[t])).numpy())
            O2[t], R[t], E[t] = torch.from_numpy(o), r, float(cut)
            total += r
            if cut:
                hist.append(total)
                total = 0.0
                o, _ = env.reset()
        with torch.no_grad():
            v = agent.value(O) * agent.head.sigma + agent.head.mu
            v2 = agent.value(O2) * agent.head.sigma + agent.head.mu
        adv, g = torch.zeros(T), 0.0
        for t in reversed(range(T)):
            g = R[t] + gamma * v2[t] - v[t] + gamma * lam * (1 - E[t]) * g
            adv[t] = g
        ret = adv + v
        agent.head.update(ret)
        ret = (ret - agent.head.mu) / agent.head.sigma
        adv = (adv - adv.mean()) / adv.std()
        for _ in range(10):
            for i in torch.randperm(T).split(200):
                ratio = (log_prob(agent.dist(O[i]), U[i]) - LP[i]).exp()
                loss = -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean() + 0.5 * (agent.value(O[i]) - ret[i]).pow(2).mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
        if it % 5 == 4 or it == 0:
            print(f"it {it + 1} return {np.mean(hist[-10:]):.0f} sigma {agent.head.sigma:.0f} std {agent.log_std.exp().item():.2f}")


main()
