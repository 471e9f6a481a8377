"""Value learning with three-step targets and a split head, on a parcel ferry."""
import argparse
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=24000)
ap.add_argument("--seed", type=int, default=0)
ap.add_argument("--fault", type=str, default="")
FLAGS = ap.parse_args()


class Ferry(gym.Env):
    """Fetch a parcel on a 5x5 lake, then bring it to the dock."""

    MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))

    def __init__(self, n=5):
        self.n = n
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (7,), np.float32)
        self.action_space = gym.spaces.Discrete(4)
        self._view = np.zeros(7, np.float32)

    def _goal(self):
        return self.dock if self.loaded else self.parcel

    def _gap(self):
        return int(np.abs(self.boat - self._goal()).sum())

    def _render_state(self):
        m = self.n - 1
        self._view[0:2] = self.boat / m * 2 - 1
        self._view[2:4] = (self.parcel - self.boat) / m
        self._view[4:6] = (self.dock - self.boat) / m
        self._view[6] = float(self.loaded)
        return self._view if FLAGS.fault == "f03" else self._view.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.choice(self.n * self.n, size=3, replace=False)
        self.boat, self.parcel, self.dock = (np.array(divmod(int(c), self.n)) for c in cells)
        self.loaded = False
        return self._render_state(), {}

    def step(self, action):
        before = self._gap()
        self.boat = np.clip(self.boat + np.array(self.MOVES[int(action)]), 0, self.n - 1)
        progress = before - self._gap()
        if FLAGS.fault == "f05":
            progress = 5 * max(progress, 0)
        reward = -0.02 + 0.05 * progress
        done = False
        if self._gap() == 0:
            if self.loaded:
                reward += 1.0
                done = True
            else:
                reward += 0.3
                self.loaded = True
        if self.loaded:
            self.parcel = self.boat.copy()
        return self._render_state(), float(reward), done, False, {}


gym.register(id="Ferry-v0", entry_point=Ferry, max_episode_steps=50)


class Split(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(7, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU())
        self.adv = nn.Linear(96, 4)
        self.val = nn.Linear(96, 1)

    def forward(self, x):
        z = self.trunk(x)
        a = self.adv(z)
        return self.val(z) + a - a.mean(-1, keepdim=True)


class Store:
    def __init__(self, cap):
        self.cap, self.ptr, self.full = cap, 0, False
        self.o = np.zeros((cap, 7), np.float32)
        self.o2 = np.zeros((cap, 7), np.float32)
        self.a = np.zeros(cap, np.int64)
        self.r = np.zeros(cap, np.float32)
        self.cont = np.zeros(cap, np.float32)

    def __len__(self):
        return self.cap if self.full else self.ptr

    def put(self, o, a, r, o2, cont):
        i = self.ptr
        self.o[i], self.a[i], self.r[i], self.o2[i], self.cont[i] = o, a, r, o2, cont
        self.ptr = (i + 1) % self.cap
        self.full = self.full or self.ptr == 0

    def draw(self, n, rng):
        ix = rng.integers(len(self), size=n)
        return [torch.from_numpy(v[ix]) for v in (self.o, self.a, self.r, self.o2, self.cont)]


class Learner:
    GAMMA, N, BATCH, WARM, SYNC = 0.97, 3, 64, 500, 250

    def __init__(self, steps, seed):
        torch.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.steps, self.seed = steps, seed
        self.env = gym.make("Ferry-v0")
        self.online, self.target = Split(), Split()
        self.target.load_state_dict(self.online.state_dict())
        self.opt = torch.optim.Adam(self.online.parameters(), lr=7e-4)
        self.store = Store(20000)
        self.window = deque()
        self.episodes = 0

    def epsilon(self, step):
        progress = self.episodes if FLAGS.fault == "f02" else step
        return max(0.05, 1.0 - progress / (0.5 * self.steps))

    def greedy(self, obs):
        with torch.no_grad():
            return int(self.online(torch.as_tensor(obs)[None]).argmax())

    def emit(self, o2, cont):
        g = 0.0
        for _, _, r in reversed(self.window):
            g = r + self.GAMMA * g
        o, a, _ = self.window[0]
        self.store.put(o, a, g, o2, cont * self.GAMMA ** len(self.window))
        self.window.popleft()

    def remember(self, o, a, r, o2, term, trunc):
        self.window.append((o, a, r))
        if FLAGS.fault == "f01":
            if len(self.window) == self.N:
                self.emit(o2, 0.0 if term else 1.0)
            return
        if term or trunc:
            while self.window:
                self.emit(o2, 0.0 if term else 1.0)
        elif len(self.window) == self.N:
            self.emit(o2, 1.0)

    def update(self):
        o, a, r, o2, cont = self.store.draw(self.BATCH, self.rng)
        with torch.no_grad():
            best = self.online(o2).argmax(1, keepdim=True)
            y = r + cont * self.target(o2).gather(1, best)[:, 0]
        q = self.online(o).gather(1, a[:, None])[:, 0]
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item(), q.mean().item()

    def sync(self):
        source = self.target if FLAGS.fault == "f04" else self.online
        self.target.load_state_dict(source.state_dict())

    def examine(self, n=20):
        env, out = gym.make("Ferry-v0"), []
        for k in range(n):
            o, _ = env.reset(seed=31337 + k)
            total, over = 0.0, False
            while not over:
                o, r, term, trunc, _ = env.step(self.greedy(o))
                total, over = total + r, term or trunc
            out.append(total)
        return float(np.mean(out))

    def fit(self):
        o, _ = self.env.reset(seed=self.seed)
        total, recent = 0.0, deque(maxlen=50)
        loss = q = float("nan")
        for step in range(1, self.steps + 1):
            a = int(self.rng.integers(4)) if self.rng.random() < self.epsilon(step) else self.greedy(o)
            o2, r, term, trunc, _ = self.env.step(a)
            self.remember(o, a, r, o2, term, trunc)
            total += r
            o = o2
            if term or trunc:
                recent.append(total)
                self.episodes += 1
                total = 0.0
                o, _ = self.env.reset()
            if step > self.WARM and step % 2 == 0:
                loss, q = self.update()
            if step % self.SYNC == 0:
                self.sync()
            if step % 3000 == 0:
                print(f"{step:6d} | ret {np.mean(recent):6.3f} | loss {loss:.4f} | q {q:.3f} | eps {self.epsilon(step):.2f}", flush=True)
            if step % 6000 == 0:
                print(f"{step:6d} | exam {self.examine():.3f}", flush=True)
        print(f"exam {self.examine(50):.3f}")


if __name__ == "__main__":
    Learner(FLAGS.steps, FLAGS.seed).fit()
