"""Warm start by behaviour cloning from a scripted expert, then actor-critic fine-tuning with whole-episode batches (PyTorch examples style)."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
env = gym.make("CartPole-v1")
torch.manual_seed(args.seed)
rng = np.random.default_rng(args.seed)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 128)
        self.action_head = nn.Linear(128, 2)
        self.value_head = nn.Linear(128, 1)

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


model = Policy()
optimizer = optim.Adam(model.parameters(), lr=2e-3)


def expert(o):  # a rather clumsy one: right in three of four cases
    good = int(o[2] + 0.3 * o[3] > 0)
    return good if rng.random() < 0.75 else 1 - good


demo_o, demo_a = [], []
o, _ = env.reset(seed=args.seed)
for _ in range(600):
    a = expert(o)
    demo_o.append(o); demo_a.append(a)
    o, _, term, trunc, _ = env.step(a)
    if term or trunc:
        o, _ = env.reset()
demo_o, demo_a = torch.from_numpy(np.stack(demo_o)), torch.tensor(demo_a)
for epoch in range(20):
    for idx in torch.randperm(600).split(64):
        probs, _ = model(demo_o[idx])
        loss = F.nll_loss(torch.log(probs + 1e-8), demo_a[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"cloned, loss {loss.item():.3f}")

for group in optimizer.param_groups:
    group["lr"] = 1e-3
running, steps, i_episode = None, 0, 0
batch_loss, n_in_batch = 0.0, 0
while steps < 30000:
    state, _ = env.reset()
    saved, rewards, terminated, truncated = [], [], False, False
    while not (terminated or truncated):
        probs, value = model(torch.from_numpy(state).float())
        m = Categorical(probs)
        action = m.sample()
        saved.append((m.log_prob(action), value.squeeze(), m.entropy()))
        state, reward, terminated, truncated, _ = env.step(action.item())
        rewards.append(reward)
        steps += 1
    R = 0.0
    if not terminated:
        with torch.no_grad():
            R = model(torch.from_numpy(state).float())[1].item()
    returns = []
    for r in rewards[::-1]:
        R = r + args.gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns) * 0.05  # losses in units of 20 steps
    log_probs, values, ents = map(torch.stack, zip(*saved))
    advantage = returns - values.detach() * 0.05
    policy_loss = -(log_probs * advantage).mean()
    value_loss = F.smooth_l1_loss(values * 0.05, returns)
    loss = policy_loss + value_loss - 0.01 * ents.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running = sum(rewards) if running is None else 0.05 * sum(rewards) + 0.95 * running
    i_episode += 1
    if i_episode % 25 == 0:
        print(f"Episode {i_episode}\tLast reward: {sum(rewards):.0f}\tAverage reward: {running:.1f}\tsteps {steps}")
