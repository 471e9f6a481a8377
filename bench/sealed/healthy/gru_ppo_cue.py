"""Recurrent PPO (GRU) on a cue-memory task: a sign at the beginning says which way to turn at the end."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Cue(gym.Env):
    """See a cue for one step, walk a corridor of 6 steps, then turn. obs: [cue left, cue right, corridor, junction]."""
    LENGTH = 6

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(3)  # forward, left, right

    def _obs(self):
        o = np.zeros(4, np.float32)
        if self.pos == 0:
            o[self.cue] = 1
        o[2 if self.pos < self.LENGTH else 3] = 1
        return o

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos, self.cue = 0, int(self.np_random.integers(2))
        return self._obs(), {}

    def step(self, a):
        if self.pos < self.LENGTH:
            if a != 0:
                return self._obs(), -1.0, True, False, {}  # into the wall
            self.pos += 1
            return self._obs(), 0.0, False, False, {}
        if a == 0:
            return self._obs(), -1.0, True, False, {}
        return self._obs(), 5.0 if a == 1 + self.cue else -5.0, True, False, {}


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 32)
        self.gru = nn.GRUCell(32, 32)
        self.pi = nn.Linear(32, 3)
        self.v = nn.Linear(32, 1)

    def forward(self, x, h):
        h = self.gru(torch.relu(self.enc(x)), h)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), h


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    N, T, gamma, lam = 16, 64, 0.99, 0.95
    envs = [Cue() for _ in range(N)]
    obs = torch.from_numpy(np.stack([e.reset(seed=args.seed * 100 + i)[0] for i, e in enumerate(envs)]))
    net = Recurrent()
    opt = torch.optim.Adam(net.parameters(), lr=1.5e-3)
    h, start = torch.zeros(N, 32), torch.ones(N)
    ep, hist = np.zeros(N), []
    for update in range(60):
        h0 = h.clone()
        O, A, LP, V, R, D, S = (torch.zeros(T, N, 4), torch.zeros(T, N, dtype=torch.long), *(torch.zeros(T, N) for _ in range(5)))
        for t in range(T):
            with torch.no_grad():
                h = h * (1 - start)[:, None]
                d, v, h = net(obs, h)
                a = d.sample()
            O[t], A[t], LP[t], V[t], S[t] = obs, a, d.log_prob(a), v, start
            nxt = []
            for i, e in enumerate(envs):
                o, r, term, _, _ = e.step(int(a[i]))
                R[t, i], D[t, i] = r, float(term)
                ep[i] += r
                if term:
                    hist.append(ep[i])
                    ep[i] = 0
                    o, _ = e.reset()
                nxt.append(o)
            obs, start = torch.from_numpy(np.stack(nxt)), D[t].clone()
        with torch.no_grad():
            last = net(obs, h * (1 - start)[:, None])[1]
        adv, g = torch.zeros(T, N), torch.zeros(N)
        for t in reversed(range(T)):
            nv = last if t == T - 1 else V[t + 1]
            g = R[t] + gamma * nv * (1 - D[t]) - V[t] + gamma * lam * (1 - D[t]) * g
            adv[t] = g
        ret = adv + V
        norm = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(4):
            for cols in torch.randperm(N).split(8):  # whole sequences of half of the environments
                hh, logp, val, ent = h0[cols], [], [], []
                for t in range(T):
                    hh = hh * (1 - S[t, cols])[:, None]
                    d, v, hh = net(O[t, cols], hh)
                    logp.append(d.log_prob(A[t, cols])); val.append(v); ent.append(d.entropy())
                ratio = (torch.stack(logp) - LP[:, cols]).exp()
                ad = norm[:, cols]
                pi_loss = -torch.min(ratio * ad, ratio.clamp(0.8, 1.2) * ad).mean()
                v_loss = (torch.stack(val) - ret[:, cols]).pow(2).mean()
                loss = pi_loss + 0.25 * v_loss - 0.01 * torch.stack(ent).mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                opt.step()
        if update % 6 == 0 or update == 59:
            print(f"update {update} return {np.mean(hist[-100:]):.2f}")


main()
