#!/usr/bin/env python
# coding: utf-8

# # REINFORCE on a rocket that has to land
# (exported from rocket.ipynb)

# In[1]:

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from gymnasium import spaces

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=70000)
ap.add_argument("--seed", type=int, default=3)
ap.add_argument("--fault", default="")
args = ap.parse_args()

torch.set_num_threads(1)
torch.manual_seed(args.seed)
np.random.seed(args.seed)


# In[2]: the environment
# A rocket falls straight down. The engine is off, at half or at full thrust; it must touch the ground slowly.
# The clock is part of the observation, so running out of time is an end like any other.

class Rocket(gym.Env):
    DT = 0.3
    GRAVITY = 1.0
    POWER = (0.0, 1.0, 2.0)
    TANK = 12.0
    CLOCK = 60

    def __init__(self):
        self.observation_space = spaces.Box(-5.0, 5.0, (4,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.fuel = self.TANK

    def obs(self):
        o = np.array([self.h / 10.0, self.v / 3.0, self.fuel / self.TANK, self.clock / self.CLOCK], dtype=np.float32)
        if args.fault == "f05":
            return np.clip(o, 0.0, 1.0)
        return np.clip(o, -5.0, 5.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h = self.np_random.uniform(6.0, 10.0)
        self.v = self.np_random.uniform(-1.5, 0.0)
        if args.fault != "f04":
            self.fuel = self.TANK
        self.clock = 0
        return self.obs(), {}

    def step(self, a):
        power = self.POWER[int(a)] if self.fuel > 0 else 0.0
        self.fuel = max(0.0, self.fuel - power * self.DT)
        self.v += (power - self.GRAVITY) * self.DT
        self.h += self.v * self.DT
        self.clock += 1
        reward = -0.01
        done = False
        if self.h <= 0:
            done = True
            speed = abs(self.v)
            if args.fault == "f06":
                speed = self.v
            if speed < 0.8:
                reward += 2.0
            else:
                reward += -min(speed, 5.0) / 2.5
        elif self.h > 15 or self.clock >= self.CLOCK:
            done = True
            reward += -2.0
        return self.obs(), reward, done, False, {}


# In[3]: networks

policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
baseline = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
decay = 0.1 if args.fault == "f08" else 0.0
opt = torch.optim.Adam(list(policy.parameters()) + list(baseline.parameters()), lr=3e-3, weight_decay=decay)

GAMMA = 0.99
EPISODES_PER_UPDATE = 16


# In[4]: playing

def choose(o):
    with torch.no_grad():
        logits = policy(torch.as_tensor(o))
    if args.fault == "f03":
        return int(torch.argmax(logits))
    return int(torch.distributions.Categorical(logits=logits).sample())


def reward_to_go(rewards):
    out, g = [], 0.0
    for r in reversed(rewards):
        g = r + GAMMA * g
        out.append(g)
    if args.fault == "f09":
        return out
    return out[::-1]


def evaluate(n=20):
    test_env = Rocket()
    scores = []
    for k in range(n):
        o, _ = test_env.reset(seed=900 + k)
        score = 0.0
        for _ in range(200):
            with torch.no_grad():
                a = int(policy(torch.as_tensor(o)).argmax())
            o, r, terminated, truncated, _ = test_env.step(a)
            score += r
            if args.fault == "f10":
                if truncated:
                    break
            elif terminated or truncated:
                break
        scores.append(score)
    return np.mean(scores)


# In[5]: training

env = Rocket()
o, _ = env.reset(seed=args.seed)
steps, update = 0, 0
episode_returns = []
all_obs, all_act, all_ret = [], [], []

while steps < args.steps:
    for _ in range(EPISODES_PER_UPDATE):
        rewards, done = [], False
        while not done:
            a = choose(o)
            all_obs.append(o)
            all_act.append(a)
            o, r, terminated, truncated, _ = env.step(a)
            rewards.append(r)
            steps += 1
            done = terminated or truncated
        all_ret += reward_to_go(rewards)
        episode_returns.append(sum(rewards))
        o, _ = env.reset()

    x = torch.as_tensor(np.array(all_obs))
    acts = torch.as_tensor(all_act)
    G = torch.as_tensor(all_ret, dtype=torch.float32)

    logp = torch.distributions.Categorical(logits=policy(x)).log_prob(acts)
    b = baseline(x)[:, 0]
    if args.fault == "f07":
        b = b.detach()
    adv = (G - b).detach()
    adv = adv / (adv.std() + 1e-6)
    if args.fault == "f02":
        pg = (logp * adv).mean()
    else:
        pg = -(logp * adv).mean()
    vf = ((b - G) ** 2).mean()

    opt.zero_grad()
    (pg + 0.5 * vf).backward()
    opt.step()
    update += 1
    if args.fault != "f01":
        all_obs, all_act, all_ret = [], [], []

    if update % 20 == 0:
        print(f"update {update}  steps {steps}  return {np.mean(episode_returns[-200:]):.3f}  vf {vf.item():.3f}")


# In[6]:

print("greedy landing score:", round(float(evaluate()), 3))
