"""Recurrent policy gradient (GRU, with a learned baseline) for a task that needs memory:
a signal is shown once, the walk down a hall takes a while, and at its end the signal says which door to take."""
import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Hall(gym.Env):
    """Actions: 0 left door, 1 right door, 2 walk. Doors only open at the end of the hall."""

    def __init__(self, mode=""):
        self.mode = mode
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _see(self):
        first = 1.0 if self.t == 0 else 0.0
        return np.array([first * self.shown, first, float(self.place == self.length), self.place / 8.0], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length = int(self.np_random.integers(3, 8))
        self.signal = 1 if self.np_random.random() < 0.5 else -1
        self.shown = self.signal
        if self.mode == "f04":
            self.shown = 1 if self.np_random.random() < 0.5 else -1
        self.place = self.t = 0
        return self._see(), {}

    def step(self, action):
        self.t += 1
        reward, over = -0.02, False
        if self.place == self.length:
            if action != 2:
                over = True
                right = (action == 1) == (self.signal == 1)
                reward = 1.0 if right else -1.0
        elif action == 2:
            self.place += 1
        else:
            reward = -0.1
        if self.t >= 25:  # the hall closes
            over = True
        return self._see(), reward, over, False, {}


class GRUPolicy(nn.Module):
    def __init__(self, n_obs=4, n_act=3, h=48):
        super().__init__()
        self.h = h
        self.inp = nn.Linear(n_obs, h)
        self.gru = nn.GRU(h, h, batch_first=True)
        self.pi = nn.Linear(h, n_act)
        self.v = nn.Linear(h, 1)

    def forward(self, x, hid=None):
        z, hid = self.gru(torch.tanh(self.inp(x)), hid)
        return self.pi(z), self.v(z).squeeze(-1), hid


def rollout(envs, model, fault):
    """One episode in each environment, padded to the longest. Returns tensors of shape (episodes, time, ...)."""
    n = len(envs)
    cur = np.stack([e.reset()[0] for e in envs])
    alive = np.ones(n, bool)
    hid = torch.zeros(1, n, model.h)
    obs, acts, rews, mask = [], [], [], []
    while alive.any():
        with torch.no_grad():
            logits, _, new_hid = model(torch.from_numpy(cur)[:, None], hid)
        if fault != "f01":
            hid = new_hid
        a = torch.distributions.Categorical(logits=logits[:, 0]).sample().numpy()
        r = np.zeros(n, np.float32)
        nxt = np.zeros_like(cur)
        still = alive.copy()
        for i in np.flatnonzero(alive):
            o, r[i], te, tr, _ = envs[i].step(int(a[i]))
            nxt[i] = o
            if te or tr:
                still[i] = False
        obs.append(cur * alive[:, None])
        acts.append(a * alive)
        rews.append(r)
        mask.append(alive.astype(np.float32))
        cur, alive = nxt, still
    put = lambda x, dt=torch.float32: torch.as_tensor(np.stack(x, 1), dtype=dt)
    return put(obs), put(acts, torch.long), put(rews), put(mask)


def rewards_to_go(rews, gamma, fault):
    out = torch.zeros_like(rews)
    acc = torch.zeros(rews.shape[0])
    T = rews.shape[1]
    for t in (range(T) if fault == "f02" else reversed(range(T))):
        acc = rews[:, t] + gamma * acc
        out[:, t] = acc
    return out


def build(args):
    model = GRUPolicy()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    if args.fault == "f05":
        model = GRUPolicy(h=48)
    return model, opt


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=90000)
    p.add_argument("--seed", type=int, default=4)
    p.add_argument("--fault", type=str, default="")
    p.add_argument("--episodes", type=int, default=24, help="episodes per update")
    args = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    envs = [Hall(args.fault) for _ in range(args.episodes)]
    for i, e in enumerate(envs):
        e.reset(seed=args.seed * 1000 + i)
    model, opt = build(args)
    gamma, steps, it, log = 0.98, 0, 0, []
    while steps < args.steps:
        obs, acts, rews, mask = rollout(envs, model, args.fault)
        steps += int(mask.sum())
        logits, values, _ = model(obs)
        dist = torch.distributions.Categorical(logits=logits)
        ret = rewards_to_go(rews, gamma, args.fault)
        adv = ret - values.detach()
        m = torch.ones_like(mask) if args.fault == "f03" else mask
        mean = lambda x: (x * m).sum() / m.sum()
        centre, spread = mean(adv), (mean(adv ** 2) - mean(adv) ** 2).clamp_min(1e-6).sqrt()
        adv = (adv - centre) / spread
        pg = -mean(dist.log_prob(acts) * adv)
        vl = mean((values - ret) ** 2)
        ent = mean(dist.entropy())
        loss = pg + 0.5 * vl - 0.01 * ent
        opt.zero_grad()
        loss.backward()
        gn = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        it += 1
        log.append(rews.sum(1).mean().item())
        if it % 25 == 0:
            print(f"iter {it:4d} | steps {steps:6d} | return {np.mean(log[-25:]):6.3f} | len {mask.sum(1).mean().item():4.1f} | "
                  f"entropy {ent.item():.3f} | v {vl.item():.3f} | grad {gn.item():.3f}", flush=True)


if __name__ == "__main__":
    main()
