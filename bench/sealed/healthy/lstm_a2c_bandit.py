"""RL^2-like LSTM A2C: a new two-armed bandit per episode; input is the last action and reward. Tuple of small inputs, flattened."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation


class Bandit(gym.Env):
    """One arm pays with 0.9, the other with 0.1. An episode is 20 pulls, and it ends there: the clock is observed."""

    def __init__(self):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Tuple((spaces.Discrete(3), spaces.Box(0, 1, (1,), np.float32), spaces.Box(0, 1, (1,), np.float32)))

    def _obs(self, last, reward):
        return (last, np.array([reward], np.float32), np.array([self.t / 20], np.float32))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.good, self.t = int(self.np_random.integers(2)), 0
        return self._obs(2, 0.0), {}

    def step(self, a):
        self.t += 1
        r = float(self.np_random.random() < (0.9 if a == self.good else 0.1))
        return self._obs(int(a), r), r, self.t == 20, False, {}


class Agent(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lstm = nn.LSTM(n, 32, batch_first=True)
        self.actor = nn.Linear(32, 2)
        self.critic = nn.Linear(32, 1)

    def forward(self, x, state=None):
        y, state = self.lstm(x, state)
        return self.actor(y), self.critic(y).squeeze(-1), state


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
opts = parser.parse_args()
torch.manual_seed(opts.seed)
env = FlattenObservation(Bandit())
agent = Agent(env.observation_space.shape[0])
optimizer = torch.optim.Adam(agent.parameters(), lr=2e-3)
gamma = 0.9
env.reset(seed=opts.seed)
window = []
for update in range(150):
    B_obs, B_act, B_rew = [], [], []
    for _ in range(12):  # twelve whole episodes for each update
        obs, _ = env.reset()
        state, done = None, False
        xs, acts, rews = [], [], []
        while not done:
            x = torch.as_tensor(obs, dtype=torch.float32)
            with torch.no_grad():
                logits, _, state = agent(x[None, None], state)
            a = torch.distributions.Categorical(logits=logits[0, 0]).sample().item()
            obs, r, done, _, _ = env.step(a)
            xs.append(x); acts.append(a); rews.append(r)
        B_obs.append(torch.stack(xs)); B_act.append(acts); B_rew.append(rews)
        window.append(sum(rews))
    X, A, R = torch.stack(B_obs), torch.tensor(B_act), torch.tensor(B_rew)
    G = torch.zeros_like(R)
    run = torch.zeros(12)
    for t in reversed(range(20)):
        run = R[:, t] + gamma * run
        G[:, t] = run
    logits, V, _ = agent(X)
    logp = F.log_softmax(logits, -1)
    advantage = (G - V).detach()
    policy_loss = -(logp.gather(-1, A[..., None]).squeeze(-1) * advantage).mean()
    value_loss = F.smooth_l1_loss(V, G)
    entropy = -(logp.exp() * logp).sum(-1).mean()
    loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 1.0)
    optimizer.step()
    if update % 15 == 0 or update == 149:
        print(f"{update} return {np.mean(window[-48:]):.2f} entropy {entropy.item():.2f}")
