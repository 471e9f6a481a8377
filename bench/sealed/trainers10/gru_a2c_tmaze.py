# Homework 4: actor-critic with memory.
# The cue on the wall of the first cell says which way to turn at the end of the corridor.
import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from gymnasium.spaces import Box, Discrete

p = argparse.ArgumentParser()
p.add_argument("--steps", type=int, default=160000)
p.add_argument("--seed", type=int, default=0)
p.add_argument("--fault", default="none")
p.add_argument("--lr", type=float, default=2e-3)
p.add_argument("--hidden", type=int, default=48)
args = p.parse_args()

torch.set_num_threads(1)
torch.manual_seed(args.seed)
np.random.seed(args.seed)

N_ENV, T = 16, 20
GAMMA, LAM = 0.98, 0.95
VF, ENT = 0.5, 0.01
CORRIDOR = 7
LIMIT = 30
if args.fault == "f06":
    LIMIT = CORRIDOR


class TMaze(gym.Env):
    LEFT, RIGHT, FORWARD = 0, 1, 2

    def __init__(self, length=CORRIDOR):
        self.length = length
        self.observation_space = Box(-1.0, 1.0, shape=(4,), dtype=np.float32)
        self.action_space = Discrete(3)
        self.cue = 1
        self.x = 0

    def _see(self):
        at_start = self.x == 0
        at_end = self.x == self.length
        flicker = self.np_random.uniform(-1, 1)
        return np.array([self.cue if at_start else 0.0, float(at_start), float(at_end), flicker], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = 0
        if args.fault == "f05":
            view = self._see()
            self.cue = int(self.np_random.choice([-1, 1]))
            return view, {}
        self.cue = int(self.np_random.choice([-1, 1]))
        return self._see(), {}

    def step(self, action):
        if self.x < self.length:
            if action == self.FORWARD:
                self.x += 1
            return self._see(), -0.02, False, False, {}
        if action == self.FORWARD:
            return self._see(), -0.02, False, False, {}
        right_way = (action == self.RIGHT) == (self.cue == 1)
        return self._see(), 1.0 if right_way else -1.0, True, False, {"correct": right_way}


class Net(torch.nn.Module):
    def __init__(self, n_in, n_out, hidden):
        super().__init__()
        self.inp = torch.nn.Linear(n_in, hidden)
        self.gru = torch.nn.GRUCell(hidden, hidden)
        self.pi = torch.nn.Linear(hidden, n_out)
        self.v = torch.nn.Linear(hidden, 1)

    def forward(self, x, h):
        h = self.gru(torch.tanh(self.inp(x)), h)
        return self.pi(h), self.v(h).squeeze(-1), h


envs = [gym.wrappers.TimeLimit(TMaze(), LIMIT) for _ in range(N_ENV)]
net = Net(4, 3, args.hidden)
opt = torch.optim.RMSprop(net.parameters(), lr=args.lr, alpha=0.99, eps=1e-5)

obs = torch.tensor(np.stack([e.reset(seed=args.seed * 1000 + i)[0] for i, e in enumerate(envs)]))
h = torch.zeros(N_ENV, args.hidden)
ep_ret = np.zeros(N_ENV)
last_returns, last_correct = [], []
steps, update = 0, 0

while steps < args.steps:
    h0 = h.clone()
    O, A, R, D, TERM, CUT_V = [], [], [], [], [], []
    for t in range(T):
        with torch.no_grad():
            logits, _, h = net(obs, h)
        a = torch.distributions.Categorical(logits=logits).sample()
        r = torch.zeros(N_ENV)
        d = torch.zeros(N_ENV)
        term = torch.zeros(N_ENV)
        cut_v = torch.zeros(N_ENV)
        nxt = []
        for i, e in enumerate(envs):
            o2, rew, terminated, truncated, info = e.step(int(a[i]))
            r[i] = rew
            ep_ret[i] += rew
            if terminated or truncated:
                d[i] = 1.0
                term[i] = float(terminated)
                if not terminated:
                    with torch.no_grad():
                        cut_v[i] = net(torch.as_tensor(o2)[None], h[i:i + 1])[1][0]
                last_returns.append(ep_ret[i])
                last_correct.append(float(info.get("correct", False)))
                ep_ret[i] = 0.0
                o2, _ = e.reset()
            nxt.append(o2)
        O.append(obs)
        A.append(a)
        R.append(r)
        D.append(d)
        TERM.append(term)
        CUT_V.append(cut_v)
        obs = torch.tensor(np.stack(nxt))
        h = h * (1.0 - d)[:, None]
        steps += N_ENV

    # unroll the net again, this time with gradients
    hh = h0
    logps, values, ents = [], [], []
    for t in range(T):
        logits, v, hh = net(O[t], hh)
        dist = torch.distributions.Categorical(logits=logits)
        logps.append(dist.log_prob(A[t]))
        ents.append(dist.entropy())
        values.append(v)
        if args.fault != "f01":
            hh = hh * (1.0 - D[t])[:, None]
    logps, values, ents = torch.stack(logps), torch.stack(values), torch.stack(ents)
    with torch.no_grad():
        v_last = net(obs, hh)[1]

    gae = torch.zeros(N_ENV)
    targets = torch.zeros(T, N_ENV)
    V = values.detach()
    for t in reversed(range(T)):
        v_next = v_last if t == T - 1 else V[t + 1]
        v_next = torch.where(D[t] > 0, CUT_V[t], v_next)
        delta = R[t] + GAMMA * v_next * (1.0 - TERM[t]) - V[t]
        gae = delta + GAMMA * LAM * (1.0 - D[t]) * gae
        targets[t] = gae + V[t]

    if args.fault == "f03":
        adv = targets - values
    else:
        adv = targets - V
    pi_loss = -(logps * adv).mean()
    v_loss = F.mse_loss(values, targets)
    bonus = ents.mean()
    if args.fault == "f02":
        loss = pi_loss + ENT * v_loss - VF * bonus
    else:
        loss = pi_loss + VF * v_loss - ENT * bonus

    if args.fault == "f04":
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.zero_grad()
        opt.step()
    else:
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
    update += 1

    if update % 25 == 0:
        print("upd", update, "steps", steps,
              "| avg return", round(float(np.mean(last_returns[-200:])), 3) if last_returns else None,
              "| right turns", round(float(np.mean(last_correct[-200:])), 3) if last_correct else None,
              "| H", round(bonus.item(), 3), "| vloss", round(v_loss.item(), 4), flush=True)
