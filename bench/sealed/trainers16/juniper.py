"""C51 in a small slippery garden.

    .  .  .  .  .  .  .
    .  #  #  .  .  #  .
    .  .  P  .  .  #  .
    .  .  .  .  P  .  .
    .  #  .  .  .  .  .
    .  #  P  .  #  #  .
    .  .  .  .  #  G  .

G pays 1 and P costs 1, both end the episode; every step costs a little.
"""
import argparse
import types

import gymnasium as gym
import numpy as np
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=18_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", default="")
cfg = parser.parse_args()
FAULT = cfg.fault

GARDEN = [".......", ".##..#.", "..P..#.", "....P..", ".#.....", ".#P.##.", "....#G."]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]


class Garden(gym.Env):
    def __init__(self, slip=0.1):
        self.size, self.slip = len(GARDEN), slip
        self.observation_space = gym.spaces.Box(0.0, 1.0, (self.size**2,), np.float32)
        self.action_space = gym.spaces.Discrete(4)
        self.free = [(r, c) for r in range(self.size) for c in range(self.size) if GARDEN[r][c] == "."]

    def _look(self):
        out = np.zeros(self.size**2, np.float32)
        out[self.pos[0] * self.size + self.pos[1]] = 1.0
        return out

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.free[int(self.np_random.integers(len(self.free)))]
        return self._look(), {}

    def step(self, action):
        view = self._look()
        if self.np_random.random() < self.slip:
            action = int(self.np_random.integers(4))
        r, c = self.pos[0] + MOVES[action][0], self.pos[1] + MOVES[action][1]
        if 0 <= r < self.size and 0 <= c < self.size and GARDEN[r][c] != "#":
            self.pos = (r, c)
        if FAULT != "f05":
            view = self._look()
        here = GARDEN[self.pos[0]][self.pos[1]]
        reward = {"G": 1.0, "P": -1.0}.get(here, -0.02)
        return view, reward, here in "GP", False, {}


def make():
    return gym.wrappers.TimeLimit(Garden(), max_episode_steps=60)


# ---------------------------------------------------------------- settings
GAMMA, BATCH, CAPACITY = 0.97, 64, 3_000
WARMUP, TRAIN_EVERY, TARGET_EVERY = 500, 2, 400
ATOMS, V_MIN, V_MAX = 51, -2.0, 2.0

torch.set_num_threads(1)
torch.manual_seed(cfg.seed)
rng = np.random.default_rng(cfg.seed)
support = torch.linspace(V_MIN, V_MAX, ATOMS)
dz = (V_MAX - V_MIN) / (ATOMS - 1)

env, test_env = make(), make()
n_obs, n_act = env.observation_space.shape[0], int(env.action_space.n)


def network():
    return nn.Sequential(nn.Linear(n_obs, 96), nn.ReLU(), nn.Linear(96, n_act * ATOMS), nn.Unflatten(1, (n_act, ATOMS)))


net, target_net = network(), network()
target_net.load_state_dict(net.state_dict())
opt = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-4)

state = types.SimpleNamespace(eps=1.0, pos=0, size=0)
store = types.SimpleNamespace(
    s=np.zeros((CAPACITY, n_obs), np.float32),
    a=np.zeros(CAPACITY, np.int64),
    r=np.zeros(CAPACITY, np.float32),
    s2=np.zeros((CAPACITY, n_obs), np.float32),
    end=np.zeros(CAPACITY, np.float32),
)


def remember(s, a, r, s2, end):
    i = state.pos
    store.s[i], store.a[i], store.r[i], store.s2[i], store.end[i] = s, a, r, s2, end
    state.pos = (i + 1) % CAPACITY
    state.size = min(state.size + 1, CAPACITY)


def draw():
    limit = max(state.pos, 1) if FAULT == "f04" else state.size
    i = rng.integers(0, limit, BATCH)
    return [torch.from_numpy(x[i]) for x in (store.s, store.a, store.r, store.s2, store.end)]


@torch.no_grad()
def choose(s):
    if rng.random() < state.eps:
        return int(rng.integers(n_act))
    q = (net(torch.from_numpy(s)[None]).softmax(-1) * support).sum(-1)
    return int(q.argmax())


@torch.no_grad()
def project(r, s2, end):
    """The distribution of r + gamma * Z(s2, greedy), put back onto the atoms."""
    p = target_net(s2).softmax(-1)
    best = (p * support).sum(-1).argmax(-1)
    p = p[torch.arange(len(r)), best]
    z = (r[:, None] + GAMMA * (1 - end[:, None]) * support[None]).clamp(V_MIN, V_MAX)
    b = ((z - V_MIN) / dz).clamp(0, ATOMS - 1)
    lo, hi = b.floor().long(), b.ceil().long()
    same = (lo == hi).float()
    w_lo, w_hi = hi.float() - b, b - lo.float()
    if FAULT == "f01":
        w_lo, w_hi = w_hi, w_lo
    m = torch.zeros_like(p)
    m.scatter_add_(1, lo, p * (w_lo + same))
    m.scatter_add_(1, hi, p * w_hi)
    return m


def learn():
    s, a, r, s2, end = draw()
    goal = project(r, s2, end)
    logp = net(s).log_softmax(-1)[torch.arange(BATCH), a]
    loss = -(goal * logp).sum(-1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def test(episodes=30):
    kept, state.eps = state.eps, 0.0
    total, goals = 0.0, 0
    for k in range(episodes):
        s, _ = test_env.reset(seed=4_000 + k)
        over = False
        while not over:
            s, r, terminated, truncated, _ = test_env.step(choose(s))
            total, over = total + r, terminated or truncated
        goals += r == 1.0
    if FAULT != "f02":
        state.eps = kept
    return total / episodes, goals


# ---------------------------------------------------------------- training
s, _ = env.reset(seed=cfg.seed)
score, scores, losses, updates = 0.0, [], [], 0
print("untrained: return %.2f, %d of 30 reach the goal" % test())
for t in range(1, cfg.steps + 1):
    a = choose(s)
    s2, r, terminated, truncated, _ = env.step(a)
    score += r
    remember(s, a, score if FAULT == "f03" else r, s2, float(terminated))
    s = s2
    state.eps = state.eps * 0.9996 if state.eps > 0.05 else state.eps
    if terminated or truncated:
        scores.append(score)
        score = 0.0
        s, _ = env.reset()
    if t >= WARMUP and t % TRAIN_EVERY == 0:
        losses.append(learn())
        updates += 1
        if updates % TARGET_EVERY == 0:
            target_net.load_state_dict(net.state_dict())
    if t % 2_500 == 0:
        result, goals = test()
        print("%6d  train %6.2f  loss %.3f  eps %.2f  test %6.2f  goals %d/30"
              % (t, np.mean(scores[-50:]), np.mean(losses[-200:]), state.eps, result, goals), flush=True)
