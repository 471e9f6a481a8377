import argparse
import copy
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Courier(gym.Env):
    """6 x 6 town. Walk to the customer, who is somewhere else each time, and keep out of the two ponds."""

    SIZE = 6
    PONDS = {(2, 2), (3, 4)}
    MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]

    def __init__(self):
        self.action_space = gym.spaces.Discrete(4)
        self.observation_space = gym.spaces.Box(0.0, 1.0, (24,), np.float32)

    def _free(self):
        while True:
            c = (int(self.np_random.integers(self.SIZE)), int(self.np_random.integers(self.SIZE)))
            if c not in self.PONDS:
                return c

    def _obs(self):
        o = np.zeros(24, np.float32)
        o[self.at[0]] = o[6 + self.at[1]] = o[12 + self.to[0]] = o[18 + self.to[1]] = 1.0
        return o

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.to = self._free()
        self.at = self._free()
        while self.at == self.to:
            self.at = self._free()
        return self._obs(), {}

    def step(self, a):
        dx, dy = self.MOVES[int(a)]
        x = min(max(self.at[0] + dx, 0), self.SIZE - 1)
        y = min(max(self.at[1] + dy, 0), self.SIZE - 1)
        self.at = (x, y)
        if self.at == self.to:
            return self._obs(), 1.0, True, False, {}
        if self.at in self.PONDS:
            return self._obs(), -1.0, True, False, {}
        return self._obs(), -0.02, False, False, {}


gym.register(id="Courier-v0", entry_point=Courier, max_episode_steps=30)


class DuelingNet(nn.Module):
    def __init__(self, n_in, n_act):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, 96), nn.ReLU())
        self.adv = nn.Sequential(nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, n_act))
        self.val = nn.Sequential(nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        h = self.body(x)
        a = self.adv(h)
        return self.val(h) + a - a.mean(1, keepdim=True)


class Replay:
    def __init__(self, capacity, n_in, whole=False):
        self.s = np.zeros((capacity, n_in), np.float32)
        self.s2 = np.zeros((capacity, n_in), np.float32)
        self.a = np.zeros(capacity, np.int64)
        self.r = np.zeros(capacity, np.float32)
        self.d = np.zeros(capacity, np.float32)
        self.capacity, self.ptr, self.full, self.whole = capacity, 0, False, whole

    def push(self, s, a, r, s2, d):
        i = self.ptr
        self.s[i], self.a[i], self.r[i], self.s2[i], self.d[i] = s, a, r, s2, d
        self.ptr = (i + 1) % self.capacity
        self.full = self.full or self.ptr == 0

    def __len__(self):
        return self.capacity if self.full else self.ptr

    def sample(self, n):
        i = np.random.randint(0, self.capacity if self.whole else len(self), n)
        return [torch.from_numpy(x[i]) for x in (self.s, self.a, self.r, self.s2, self.d)]


ap = argparse.ArgumentParser()
ap.add_argument("--seed", type=int, default=7)
ap.add_argument("--steps", type=int, default=18_000)
ap.add_argument("--fault", default="none")
opt = ap.parse_args()

torch.set_num_threads(1)
random.seed(opt.seed)
np.random.seed(opt.seed)
torch.manual_seed(opt.seed)

GAMMA = 0.95
BATCH = 64
LEARN_FROM = 500
TRAIN_EVERY = 3
SYNC_EVERY = 250

env = gym.make("Courier-v0")
test_env = gym.make("Courier-v0")
q = DuelingNet(24, 4)
q_target = copy.deepcopy(q)
trained = q_target if opt.fault == "f10" else q
adam = torch.optim.Adam(trained.parameters(), lr=1.5e-3)
memory = Replay(100_000 if opt.fault == "f09" else 20_000, 24, whole=opt.fault == "f09")


def epsilon(step):
    if opt.fault == "f04":
        return 1.0
    return max(0.05, 1.0 - 0.95 * step / (0.4 * opt.steps))


def evaluate(n=20):
    total = 0.0
    for k in range(n):
        o, _ = test_env.reset(seed=1000 + k)
        end = False
        while not end:
            with torch.no_grad():
                a = q(torch.from_numpy(o)[None]).argmax(1).item()
            o, r, te, tr, _ = test_env.step(a)
            total += r
            end = te or tr
    return total / n


obs, _ = env.reset(seed=opt.seed)
ret, rets, loss, prev_r = 0.0, [], None, 0.0
for step in range(1, opt.steps + 1):
    if random.random() < epsilon(step):
        action = random.randrange(4)
    else:
        with torch.no_grad():
            action = q(torch.from_numpy(obs)[None]).argmax(1).item()
    nxt, r, terminated, truncated, _ = env.step(action)
    ret += r
    if opt.fault == "f02":
        memory.push(obs, action, r, obs, terminated)
    elif opt.fault == "f08":
        memory.push(obs, action, prev_r, nxt, terminated)
    else:
        memory.push(obs, action, r, nxt, terminated)
    prev_r = r
    obs = nxt
    if terminated or truncated:
        rets.append(ret)
        ret = 0.0
        obs, _ = env.reset(seed=opt.seed) if opt.fault == "f07" else env.reset()

    if step >= LEARN_FROM and step % TRAIN_EVERY == 0:
        s, a, rew, s2, d = memory.sample(BATCH)
        with torch.no_grad():
            best = q(s2).argmax(1, keepdim=True)
            q_next = q_target(s2).gather(1, best).squeeze(1)
            keep = d if opt.fault == "f03" else 1.0 - d
            y = rew + GAMMA * keep * q_next
        if opt.fault == "f05":
            pred = q(s).max(1).values
        elif opt.fault == "f06":
            pred = q(s).gather(1, a[:, None])
        elif opt.fault == "f10":
            pred = q_target(s).gather(1, a[:, None]).squeeze(1)
        else:
            pred = q(s).gather(1, a[:, None]).squeeze(1)
        loss = ((pred - y) ** 2).mean()
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained.parameters(), 10.0)
        adam.step()
    if step % SYNC_EVERY == 0 and opt.fault not in ("f01",):
        q_target.load_state_dict(q.state_dict())

    if step % 1500 == 0:
        print("step", step, "train", round(float(np.mean(rets[-100:])), 3), "test", round(evaluate(), 3), "eps", round(epsilon(step), 2), "loss", None if loss is None else round(loss.item(), 5))
