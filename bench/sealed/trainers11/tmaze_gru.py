"""Recurrent PPO on a T-maze.

A sign at the entrance says which arm holds the prize, the corridor says nothing,
the agent has to remember. Sequences are kept whole: minibatches are sets of
environments, not of time steps.
"""
import argparse

import gymnasium
import torch
from gymnasium import spaces
import numpy as np
from torch import nn


class TMaze(gymnasium.Env):
    FORWARD, LEFT, RIGHT = 0, 1, 2

    def __init__(self, length=5, flip_order=False):
        self.length = length
        self.flip_order = flip_order
        self.observation_space = spaces.Box(-1, 1, shape=(4,), dtype=np.float32)
        self.action_space = spaces.Discrete(3)
        self.sign, self.x, self.clock = 1, 0, 0

    def view(self):
        sign = self.sign if self.x == 0 and self.clock == 0 else 0
        return np.array([sign, self.x == self.length, self.x == 0, self.clock / 40], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = 0
        self.clock = 0
        if self.flip_order:
            first = self.view()
            self.sign = int(self.np_random.choice([-1, 1]))
            return first, {}
        self.sign = int(self.np_random.choice([-1, 1]))
        return self.view(), {}

    def step(self, action):
        self.clock += 1
        reward, over = -0.02, False
        if self.x < self.length:
            if action == self.FORWARD:
                self.x += 1
        elif action != self.FORWARD:
            over = True
            arm = -1 if action == self.LEFT else 1
            reward = 1.0 if arm == self.sign else -1.0
        return self.view(), reward, over, self.clock >= 40 and not over, {}


class RecurrentNet(nn.Module):
    def __init__(self, n_obs, n_act, hidden=32):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n_obs, hidden), nn.Tanh())
        self.cell = nn.GRUCell(hidden, hidden)
        self.policy_head = nn.Linear(hidden, n_act)
        self.value_head = nn.Linear(hidden, 1)
        self.hidden = hidden

    def step(self, x, h):
        h = self.cell(self.encoder(x), h)
        return self.policy_head(h), self.value_head(h).squeeze(-1), h


class Trainer:
    gamma, lam, clip = 0.98, 0.95, 0.2
    n_env, length, epochs, groups = 16, 32, 4, 2

    def __init__(self, seed, fault):
        self.fault = fault
        self.envs = [TMaze(flip_order=fault == "f03") for _ in range(self.n_env)]
        self.net = RecurrentNet(4, 3)
        if fault == "f05":
            params = [*self.net.policy_head.parameters(), *self.net.value_head.parameters()]
        else:
            params = self.net.parameters()
        self.optim = torch.optim.Adam(params, lr=2e-3)
        self.x = torch.from_numpy(np.stack([e.reset(seed=seed + i)[0] for i, e in enumerate(self.envs)]))
        self.h = torch.zeros(self.n_env, self.net.hidden)
        self.fresh = torch.ones(self.n_env)
        self.steps_done = 0
        self.track = np.zeros(self.n_env)
        self.returns = []

    @torch.no_grad()
    def collect(self):
        T, N = self.length, self.n_env
        mem = dict(
            x=torch.zeros(T, N, 4), a=torch.zeros(T, N, dtype=torch.long), lp=torch.zeros(T, N), v=torch.zeros(T, N),
            r=torch.zeros(T, N), fresh=torch.zeros(T, N), over=torch.zeros(T, N), boot=torch.zeros(T, N), h0=self.h.clone(),
        )
        carried = torch.zeros(N)
        for t in range(T):
            self.h = self.h * (1 - self.fresh)[:, None]
            logits, v, self.h = self.net.step(self.x, self.h)
            behaviour = torch.distributions.Categorical(logits=logits / 4.0 if self.fault == "f06" else logits)
            target = torch.distributions.Categorical(logits=logits)
            a = behaviour.sample()
            mem["x"][t], mem["a"][t], mem["lp"][t], mem["v"][t], mem["fresh"][t] = self.x, a, target.log_prob(a), v, self.fresh
            nxt = np.zeros((N, 4), dtype=np.float32)
            r = torch.zeros(N)
            self.fresh = torch.zeros(N)
            for i, env in enumerate(self.envs):
                o, rew, term, trunc, _ = env.step(int(a[i]))
                r[i] = rew
                self.track[i] += rew
                if term or trunc:
                    if trunc:
                        mem["boot"][t, i] = self.net.step(torch.from_numpy(o)[None], self.h[i : i + 1])[1].item()
                    mem["over"][t, i] = 1.0
                    self.fresh[i] = 1.0
                    self.returns.append(self.track[i])
                    self.track[i] = 0.0
                    o, _ = env.reset()
                nxt[i] = o
            if self.fault == "f07":
                mem["r"][t], carried = carried, r
            else:
                mem["r"][t] = r
            self.x = torch.from_numpy(nxt)
            self.steps_done += N
        h = self.h * (1 - self.fresh)[:, None]
        mem["last"] = self.net.step(self.x, h)[1]
        return mem

    def gae(self, mem):
        adv = torch.zeros_like(mem["r"])
        nxt_v, acc = mem["last"], torch.zeros(self.n_env)
        for t in reversed(range(self.length)):
            go = 1.0 - mem["over"][t]
            delta = mem["r"][t] + self.gamma * (go * nxt_v + mem["boot"][t]) - mem["v"][t]
            acc = delta + self.gamma * self.lam * go * acc
            adv[t] = acc
            nxt_v = mem["v"][t]
        if self.fault == "f04":
            return adv, adv.clone()
        return adv, adv + mem["v"]

    def unroll(self, mem, cols):
        h = mem["h0"][cols]
        logits, values = [], []
        for t in range(self.length):
            if self.fault != "f01":
                h = h * (1 - mem["fresh"][t, cols])[:, None]
            lo, v, h = self.net.step(mem["x"][t, cols], h)
            logits.append(lo)
            values.append(v)
        return torch.stack(logits), torch.stack(values)

    def update(self, mem):
        adv, ret = self.gae(mem)
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(self.epochs):
            for cols in torch.randperm(self.n_env).chunk(self.groups):
                logits, values = self.unroll(mem, cols)
                dist = torch.distributions.Categorical(logits=logits)
                ratio = (dist.log_prob(mem["a"][:, cols]) - mem["lp"][:, cols]).exp()
                one = ratio * adv[:, cols]
                two = ratio.clamp(1 - self.clip, 1 + self.clip) * adv[:, cols]
                surrogate = torch.max(one, two) if self.fault == "f02" else torch.min(one, two)
                loss = -surrogate.mean() + 0.5 * (values - ret[:, cols]).pow(2).mean() - 0.01 * dist.entropy().mean()
                self.optim.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.optim.step()
        return loss.item(), dist.entropy().mean().item()

    def fit(self, total):
        k = 0
        while self.steps_done < total:
            loss, entropy = self.update(self.collect())
            k += 1
            if k % 8 == 0:
                score = np.mean(self.returns[-100:]) if self.returns else float("nan")
                print(f"steps={self.steps_done} return={score:.3f} loss={loss:.4f} entropy={entropy:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", type=str, default="")
    cli = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(cli.seed)
    Trainer(cli.seed, cli.fault).fit(cli.steps)
