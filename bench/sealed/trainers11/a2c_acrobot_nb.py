#!/usr/bin/env python
# coding: utf-8

# # Advantage Actor-Critic on Acrobot

# In[1]:

import argparse
import collections

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=120_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", default="")
opts = parser.parse_args()
BUG = opts.fault

torch.set_num_threads(1)
torch.manual_seed(opts.seed)
np.random.seed(opts.seed)

# In[2]:

N_WORKERS = 16
T_MAX = 16
GAMMA = 0.99
BETA = 1.0 if BUG == "f03" else 0.01
LR = 1.5e-3

if BUG == "f07":
    workers = [gym.make("Acrobot-v1", max_episode_steps=50) for _ in range(N_WORKERS)]
else:
    workers = [gym.make("Acrobot-v1") for _ in range(N_WORKERS)]
S = np.stack([w.reset(seed=opts.seed + 1000 * i)[0] for i, w in enumerate(workers)])
n_s, n_a = S.shape[1], int(workers[0].action_space.n)

# In[3]:


class ACNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(n_s, 64), nn.Tanh(), nn.Linear(64, n_a))
        self.v = nn.Sequential(nn.Linear(n_s, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, s):
        v = self.v(s)
        if BUG == "f06":
            v = F.relu(v)
        return F.log_softmax(self.pi(s), dim=-1), v.squeeze(-1)


net = ACNet()
opt = torch.optim.RMSprop(net.parameters(), lr=LR, alpha=0.99, eps=1e-5)

# In[4]: training loop

frames = 0
score = np.zeros(N_WORKERS)
scores = collections.deque(maxlen=40)
last_print = 0

while frames < opts.steps:
    logps, vals, ents, rews, conts, boots = [], [], [], [], [], []
    for _ in range(T_MAX):
        lp, v = net(torch.as_tensor(S, dtype=torch.float32))
        p = lp.exp()
        a = torch.multinomial(p.detach(), 1).squeeze(1)
        logps.append(lp.gather(1, a[:, None]).squeeze(1))
        vals.append(v)
        ents.append(-(p * lp).sum(1))

        r = np.zeros(N_WORKERS, dtype=np.float32)
        cont = np.ones(N_WORKERS, dtype=np.float32)
        boot = np.zeros(N_WORKERS, dtype=np.float32)
        for i, w in enumerate(workers):
            s2, r[i], term, trunc, _ = w.step(int(a[i]))
            score[i] += r[i]
            if term or trunc:
                cont[i] = 0.0
                if trunc and not term:
                    with torch.no_grad():
                        boot[i] = net(torch.as_tensor(s2, dtype=torch.float32))[1].item()
                scores.append(score[i])
                score[i] = 0.0
                S[i], _ = w.reset()
            elif BUG != "f04":
                S[i] = s2
        rews.append(torch.from_numpy(r))
        conts.append(torch.from_numpy(cont))
        boots.append(torch.from_numpy(boot))
        frames += N_WORKERS

    with torch.no_grad():
        R = net(torch.as_tensor(S, dtype=torch.float32))[1]
    targets = []
    for r, c, b in zip(reversed(rews), reversed(conts), reversed(boots)):
        if BUG == "f02":
            R = r + GAMMA * R
        else:
            R = r + GAMMA * (c * R + b)
        targets.insert(0, R)

    targets = torch.cat(targets)
    vals = torch.cat(vals)
    logps = torch.cat(logps)
    ents = torch.cat(ents)

    td = targets - vals
    adv = td if BUG == "f01" else td.detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    actor_loss = -(logps * adv).mean()
    critic_loss = td.pow(2).mean()
    loss = actor_loss + 0.5 * critic_loss - BETA * ents.mean()

    if BUG == "f05":
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.zero_grad()
        opt.step()
    else:
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()

    if frames - last_print >= 8000:
        last_print = frames
        avg = np.mean(scores) if len(scores) else float("nan")
        print(f"frames {frames:7d}  mean score {avg:8.2f}  actor {actor_loss.item():8.4f}  critic {critic_loss.item():8.3f}  entropy {ents.mean().item():.3f}")

# In[5]:

print("done, final mean score:", np.mean(scores) if len(scores) else float("nan"))
