"""Courier: fetch a parcel on a grid and bring it to its door.

Double, duelling, 3-step Q-learning with proportional prioritised replay.
"""
import argparse
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Courier(gym.Env):
    MOVES = [(0, 1), (0, -1), (1, 0), (-1, 0)]

    def __init__(self, size=5, limit=50, fault=""):
        super().__init__()
        self.size, self.limit, self.fault = size, limit, fault
        self.observation_space = gym.spaces.Box(-1, 1, (7,), np.float32)
        self.action_space = gym.spaces.Discrete(4)
        self._view = np.zeros(7, np.float32)
        self.moves = list(self.MOVES)
        if fault == "f06":
            self.moves[3] = (1, 0)

    def _look(self):
        s = self.size - 1
        row = np.concatenate([self.me / s, (self.parcel - self.me) / s, (self.door - self.me) / s, [float(self.loaded)]])
        if self.fault == "f05":
            self._view[:] = row
            return self._view
        return row.astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        pick = lambda: self.np_random.integers(0, self.size, 2)
        self.me, self.parcel, self.door = pick(), pick(), pick()
        while (self.parcel == self.door).all():
            self.door = pick()
        self.loaded, self.t = False, 0
        return self._look(), {}

    def step(self, action):
        self.t += 1
        self.me = np.clip(self.me + np.array(self.moves[int(action)]), 0, self.size - 1)
        reward, end = -0.05, False
        if not self.loaded and (self.me == self.parcel).all():
            self.loaded, reward = True, 1.0
        elif self.loaded and (self.me == self.door).all():
            reward, end = 2.0, True
        return self._look(), reward, end, self.t >= self.limit and not end, {}


class PrioritisedReplay:
    def __init__(self, capacity, alpha=0.6, eps=1e-3):
        self.capacity, self.alpha, self.eps = capacity, alpha, eps
        self.items, self.pos = [], 0
        self.prio = np.zeros(capacity)

    def push(self, item):
        if len(self.items) < self.capacity:
            self.items.append(item)
        else:
            self.items[self.pos] = item
        self.prio[self.pos] = self.prio.max() or 1.0
        self.pos = (self.pos + 1) % self.capacity

    def sample(self, n, beta):
        p = self.prio[: len(self.items)] ** self.alpha
        p /= p.sum()
        idx = np.random.choice(len(p), n, p=p)
        w = (len(p) * p[idx]) ** -beta
        return idx, w / w.max(), [self.items[i] for i in idx]

    def update(self, idx, err):
        self.prio[idx] = np.abs(err) + self.eps


class Duel(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.adv, self.val = nn.Linear(64, n_out), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        a = self.adv(h)
        return self.val(h) + a - a.mean(-1, keepdim=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=14000)
    ap.add_argument("--seed", type=int, default=3)
    ap.add_argument("--fault", type=str, default="")
    opt = ap.parse_args()
    fault = opt.fault
    torch.set_num_threads(1)
    random.seed(opt.seed); np.random.seed(opt.seed); torch.manual_seed(opt.seed)

    gamma, n_step, batch, warmup = 0.95, 3, 64, 500
    sync_every = 10 ** 9 if fault == "f03" else 250
    env = Courier(fault=fault)
    online = Duel(env.observation_space.shape[0], env.action_space.n)
    target = Duel(env.observation_space.shape[0], env.action_space.n)
    target.load_state_dict(online.state_dict())
    learned = target if fault == "f07" else online
    adam = torch.optim.Adam(learned.parameters(), lr=5e-4)
    memory = PrioritisedReplay(10000)
    window = deque()

    def flush(everything):
        while window and (everything or len(window) >= n_step):
            g, last = 0.0, None
            for k, tr in enumerate(list(window)[:n_step]):
                g += gamma ** k * tr[2]
                last = (k, tr)
            k, tr = last
            memory.push((window[0][0], window[0][1], g, tr[3], tr[4], gamma ** (k + 1)))
            window.popleft()

    obs, _ = env.reset(seed=opt.seed)
    score, length, scores, lengths, losses, qs = 0.0, 0, [], [], [], []
    for step in range(1, opt.steps + 1):
        if fault == "f04":
            eps = max(0.05, 1 - step / 2e6)
        else:
            eps = max(0.05, 1 - step / (0.4 * opt.steps) * 0.95)
        if random.random() < eps:
            action = env.action_space.sample() if step > 1 else 0
        else:
            with torch.no_grad():
                action = int(online(torch.as_tensor(obs).unsqueeze(0)).argmax())
        nxt, reward, terminated, truncated, _ = env.step(action)
        score += reward; length += 1
        window.append((obs, action, reward, nxt, terminated))
        if fault == "f02":
            flush(False)
        else:
            flush(terminated or truncated)
        obs = nxt
        if terminated or truncated:
            scores.append(score); lengths.append(length)
            score, length = 0.0, 0
            obs, _ = env.reset()

        if step >= warmup and step % 2 == 0:
            beta = min(1.0, 0.4 + 0.6 * step / opt.steps)
            idx, w, rows = memory.sample(batch, beta)
            o, a, r, o2, d, disc = zip(*rows)
            o, o2 = torch.as_tensor(np.array(o)), torch.as_tensor(np.array(o2))
            a = torch.as_tensor(a).long().unsqueeze(1)
            r, d, disc = (torch.as_tensor(np.array(z), dtype=torch.float32) for z in (r, d, disc))
            with torch.no_grad():
                best = online(o2).argmax(1, keepdim=True)
                goal = r + disc * (1 - d) * target(o2).gather(1, best).squeeze(1)
            q = (target if fault == "f07" else online)(o).gather(1, a).squeeze(1)
            td = goal - q
            if fault == "f01":
                memory.update(idx, 1.0 / (td.detach().numpy() ** 2 + 1e-2))
            else:
                memory.update(idx, td.detach().numpy())
            loss = (torch.as_tensor(w, dtype=torch.float32) * F.smooth_l1_loss(q, goal, reduction="none")).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item()); qs.append(q.mean().item())
        if step % sync_every == 0 and fault != "f07":
            target.load_state_dict(online.state_dict())
        if step % 1000 == 0:
            print("step %d | eps %.3f | episodes %d | return %.2f | length %.1f | loss %.4f | q %.3f" % (
                step, eps, len(scores), np.mean(scores[-30:] or [0]), np.mean(lengths[-30:] or [0]),
                np.mean(losses[-500:] or [0]), np.mean(qs[-500:] or [0])))


if __name__ == "__main__":
    main()
