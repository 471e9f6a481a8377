#!/usr/bin/env python
# coding: utf-8

# # Distributional RL: C51 on CartPole
# Exported from the notebook. Run from top to bottom. Plots were removed.

# In[1]:
import argparse
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)

# In[2]: settings
parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=24_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", type=str, default="")
opt = parser.parse_args()
fault = opt.fault

N_ATOMS = 101
V_MIN, V_MAX = 0.0, 100.0
if fault == "f02":
    V_MIN, V_MAX = -10.0, 10.0
GAMMA = 0.98
LR = 1e-3
BATCH = 64
BUFFER = 20_000
LEARN_START = 400
LEARN_EVERY = 2
TARGET_EVERY = 200
EPS_START, EPS_END, EPS_STEPS = 1.0, 0.03, int(0.2 * opt.steps) + 1

random.seed(opt.seed)
np.random.seed(opt.seed)
torch.manual_seed(opt.seed)

# In[3]: the environment
env = gym.make("CartPole-v1")
env.action_space.seed(opt.seed)
n_obs = env.observation_space.shape[0]
n_act = int(env.action_space.n)

# In[4]: the network predicts a categorical distribution over returns for each action
support = torch.linspace(V_MIN, V_MAX, N_ATOMS)
dz = (V_MAX - V_MIN) / (N_ATOMS - 1)


class DistNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_act * N_ATOMS))

    def forward(self, x):
        return self.net(x).view(-1, n_act, N_ATOMS)


net, target_net = DistNet(), DistNet()
target_net.load_state_dict(net.state_dict())
optimizer = torch.optim.Adam(net.parameters(), lr=LR, eps=1e-4)


def q_values(model, x):
    p = model(x).softmax(-1)
    if fault == "f05":
        return p.sum(-1)
    return (p * support).sum(-1)


# In[5]: memory
mem_s = np.zeros((BUFFER, n_obs), np.float32)
mem_a = np.zeros(BUFFER, np.int64)
mem_r = np.zeros(BUFFER, np.float32)
mem_s2 = np.zeros((BUFFER, n_obs), np.float32)
mem_d = np.zeros(BUFFER, np.float32)
mem_n = 0


def remember(s, a, r, s2, d):
    global mem_n
    i = mem_n % BUFFER
    mem_s[i], mem_a[i], mem_r[i], mem_s2[i], mem_d[i] = s, a, r, s2, d
    mem_n += 1


# In[6]: projection of the target distribution on the support
def project(r, d, p_next):
    not_done = (1.0 - d)[:, None]
    if fault == "f03":
        not_done = torch.ones_like(not_done)
    tz = (r[:, None] + GAMMA * not_done * support[None, :]).clamp(V_MIN, V_MAX)
    b = (tz - V_MIN) / dz
    l, u = b.floor(), b.ceil()
    if fault == "f01":
        w_l, w_u = u - b, b - l
    else:
        w_l, w_u = (u - b) + (l == u).float(), b - l
    m = torch.zeros_like(p_next)
    m.scatter_add_(1, l.long().clamp(0, N_ATOMS - 1), p_next * w_l)
    m.scatter_add_(1, u.long().clamp(0, N_ATOMS - 1), p_next * w_u)
    return m


def learn():
    idx = np.random.randint(0, min(mem_n, BUFFER), BATCH)
    s, a = torch.from_numpy(mem_s[idx]), torch.from_numpy(mem_a[idx])
    r, s2, d = torch.from_numpy(mem_r[idx]), torch.from_numpy(mem_s2[idx]), torch.from_numpy(mem_d[idx])
    with torch.no_grad():
        a2 = (target_net(s2).softmax(-1) * support).sum(-1).argmax(1)
        p2 = target_net(s2).softmax(-1)[torch.arange(BATCH), a2]
        m = project(r, d, p2)
    logits = net(s)[torch.arange(BATCH), a]
    if fault == "f04":
        logits = logits.softmax(-1)
    loss = -(m * logits.log_softmax(-1)).sum(-1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# In[7]: training
returns = []
loss = float("nan")
score = 0.0
state, _ = env.reset(seed=opt.seed)
for step in range(1, opt.steps + 1):
    eps = max(EPS_END, EPS_START + (EPS_END - EPS_START) * step / EPS_STEPS)
    if random.random() < eps:
        action = env.action_space.sample()
    else:
        with torch.no_grad():
            action = int(q_values(net, torch.from_numpy(state)[None]).argmax(1))
    next_state, reward, terminated, truncated, _ = env.step(action)
    score += reward
    remember(state, action, reward, next_state, float(terminated))
    state = next_state
    over = truncated if fault == "f06" else (terminated or truncated)
    if over:
        returns.append(score)
        score = 0.0
        state, _ = env.reset()
    if step > LEARN_START and step % LEARN_EVERY == 0:
        loss = learn()
    if step % TARGET_EVERY == 0:
        target_net.load_state_dict(net.state_dict())
    if step % 1000 == 0:
        last = returns[-20:] if returns else [float("nan")]
        shown = max(returns) if fault == "f07" and returns else float(np.mean(last))
        with torch.no_grad():
            q = (net(torch.from_numpy(state)[None]).softmax(-1) * support).sum(-1).max().item()
        print("step", step, "episodes", len(returns), "mean_return", round(shown, 1), "loss", round(loss, 4),
              "q", round(q, 2), "epsilon", round(eps, 3), flush=True)

# In[8]: how good is the greedy policy?
test_env = gym.make("CartPole-v1")
scores = []
for k in range(5):
    s, _ = test_env.reset(seed=500 + k)
    total, over = 0.0, False
    while not over:
        with torch.no_grad():
            s, r, te, tr, _ = test_env.step(int(q_values(net, torch.from_numpy(s)[None]).argmax(1)))
        total += r
        over = te or tr
    scores.append(total)
print("greedy evaluation:", np.mean(scores))
