"""One environment, one network, n-step advantage actor-critic. The task: keep a frictionless sled under a moving lamp."""
import argparse
import math

import gymnasium as gym
import numpy as np
import torch as th
import torch.nn as nn

th.set_num_threads(1)

ap = argparse.ArgumentParser()
ap.add_argument("--seed", type=int, default=0)
ap.add_argument("--steps", type=int, default=50_000)
ap.add_argument("--fault", default="none")
A = ap.parse_args()
FAULT = A.fault


class Sled(gym.Env):
    def __init__(self):
        self.observation_space = gym.spaces.Box(-10.0, 10.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def lamp(self):
        angle = self.phase + 0.05 * self.clock
        return 1.2 * math.sin(angle), 1.2 * math.cos(angle)

    def obs(self):
        where, trend = self.lamp()
        return np.array([self.x, 3.0 * self.v, where, trend], np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.clock, self.phase = 0, self.np_random.uniform(0, 2 * math.pi)
        self.x, self.v = self.np_random.uniform(-1, 1), self.np_random.uniform(-0.05, 0.05)
        return self.obs(), {}

    def step(self, action):
        self.v += 0.04 * (int(action) - 1)
        self.x += self.v
        self.clock += 1
        off = abs(self.x - self.lamp()[0])
        fell = abs(self.x) > 2.5
        return self.obs(), 1.0 - off, bool(fell), False, {}


gym.register("Sled-v0", entry_point=Sled, max_episode_steps=120)

N_STEP = 16
GAMMA = 0.097 if FAULT == "f13" else 0.97
LR = 1e-6 if FAULT == "f07" else 1e-3
BETA = 2.0 if FAULT == "f08" else 0.01

th.manual_seed(A.seed)
env = gym.make("Sled-v0")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi = nn.Linear(64, 3)
        self.v = nn.Linear(64, 1)

    def forward(self, x):
        z = self.trunk(x)
        return th.log_softmax(self.pi(z), -1), self.v(z)[..., 0]


net = Net()
opt = th.optim.RMSprop(net.parameters(), lr=LR, alpha=0.99, eps=1e-5)

# storage for at most N_STEP transitions; `k` of them are filled
S = np.zeros((N_STEP, 4), np.float32)
U = np.zeros(N_STEP, np.int64)
R = np.zeros(N_STEP, np.float32)

state, _ = env.reset(seed=A.seed)
ret, returns, k, updates = 0.0, [], 0, 0

for step in range(1, A.steps + 1):
    with th.no_grad():
        logits, _ = net(th.from_numpy(state))
        probs = logits.exp()
        u = int(th.multinomial(probs, 1))
    if FAULT == "f04":
        new_state, r, terminated, truncated, _ = env.step(int(th.multinomial(probs, 1)))
    else:
        new_state, r, terminated, truncated, _ = env.step(u)
    ret += r
    S[k] = new_state if FAULT == "f11" else state
    U[k] = u
    R[k] = -r if FAULT == "f12" else r
    k += 1
    state = new_state

    if k == N_STEP or terminated or truncated:
        n = N_STEP if FAULT == "f09" else k
        if terminated or FAULT == "f01":
            acc = 0.0
        else:
            with th.no_grad():
                acc = net(th.from_numpy(state))[1].item()
        G = []
        for i in range(n - 1, -1, -1):
            acc = float(R[i]) + GAMMA * acc
            G.append(acc)
        if FAULT != "f03":
            G.reverse()
        G = th.tensor(G)

        logp, v = net(th.from_numpy(S[:n]))
        adv = G - v
        chosen = logp.gather(1, th.from_numpy(U[:n])[:, None])[:, 0]
        weight = adv if FAULT == "f02" else adv.detach()
        actor_loss = -(weight * chosen).mean()
        if FAULT == "f05":
            actor_loss = -actor_loss
        critic_loss = adv.pow(2).mean()
        H = -(logp.exp() * logp).sum(-1).mean()
        loss = actor_loss + (-0.5 if FAULT == "f06" else 0.5) * critic_loss - BETA * H

        opt.zero_grad()
        loss.backward()
        if FAULT == "f10":
            opt.zero_grad(set_to_none=False)
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
        k, updates = 0, updates + 1

    if terminated or (truncated and FAULT != "f14"):
        returns.append(ret)
        ret = 0.0
        state, _ = env.reset()

    if step % 5000 == 0:
        shown = np.mean(returns[-25:]) if returns else float("nan")
        print("%7d steps, %5d updates: mean return %.2f, critic %.3f, entropy %.3f" % (step, updates, shown, critic_loss.item(), H.item()), flush=True)
