import argparse
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

cli = argparse.ArgumentParser(description="double DQN in an orchard: pick the apple, keep clear of the dog")
cli.add_argument("--steps", type=int, default=30000)
cli.add_argument("--seed", type=int, default=0)
cli.add_argument("--fault", type=str, default="")
args = cli.parse_args()

torch.set_num_threads(1)
random.seed(args.seed)
np.random.seed(args.seed)
torch.manual_seed(args.seed)

SIZE = 7
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]


class Orchard(gym.Env):
    """A 7x7 field. The apple lies anywhere, the dog walks up and down the middle row."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (9,), np.float32)
    action_space = gym.spaces.Discrete(4)

    def __init__(self, limit=60):
        self.limit = limit
        self.count = 0
        self.state = np.zeros(9, np.float32)

    def _look(self):
        s = self.state
        s[0:2] = np.array(self.me) / 3.0 - 1.0
        s[2:4] = np.array(self.apple) / 3.0 - 1.0
        s[4] = self.dog / 3.0 - 1.0
        s[5] = self.dog_dir
        s[6] = (self.apple[0] - self.me[0]) / 6.0
        s[7] = (self.apple[1] - self.me[1]) / 6.0
        s[8] = (self.dog - self.me[1]) / 6.0
        if args.fault == "f05":
            return s
        return s.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if args.fault != "f04":
            self.count = 0
        rng = self.np_random
        while True:
            self.me = [int(rng.integers(SIZE)), int(rng.integers(SIZE))]
            self.apple = [int(rng.integers(SIZE)), int(rng.integers(SIZE))]
            if self.me != self.apple and self.me[0] != 3 and self.apple[0] != 3:
                break
        self.dog = int(rng.integers(SIZE))
        self.dog_dir = 1 if rng.random() < 0.5 else -1
        return self._look(), {}

    def step(self, action):
        self.count += 1
        dr, dc = MOVES[int(action)]
        self.me[0] = min(SIZE - 1, max(0, self.me[0] + dr))
        self.me[1] = min(SIZE - 1, max(0, self.me[1] + dc))
        if not 0 <= self.dog + self.dog_dir < SIZE:
            self.dog_dir = -self.dog_dir
        self.dog += self.dog_dir
        reward, terminated = -0.02, False
        if self.me == self.apple:
            reward, terminated = 1.0, True
        elif self.me[0] == 3 and abs(self.me[1] - self.dog) <= 1:
            reward, terminated = -1.0, True
        return self._look(), reward, terminated, self.count >= self.limit, {}


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(9, 96)
        self.l2 = nn.Linear(96, 96)
        self.out = nn.Linear(96, 4)

    def forward(self, x):
        return self.out(F.relu(self.l2(F.relu(self.l1(x)))))


env = Orchard()
q = QNet()
q_target = QNet()
q_target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=7e-4)
memory = deque(maxlen=20000)

GAMMA = 0.95
BATCH = 64
WARMUP = 1000
TRAIN_EVERY = 2
SYNC_EVERY = 400
EXPLORE = 0.4 * args.steps


def epsilon(step, episode):
    t = episode if args.fault == "f03" else step
    return max(0.05, 1.0 - t / EXPLORE)


def train_once():
    s, a, r, s2, d = zip(*random.sample(memory, BATCH))
    s = torch.as_tensor(np.array(s))
    s2 = torch.as_tensor(np.array(s2))
    a = torch.as_tensor(a).unsqueeze(1)
    r = torch.as_tensor(r, dtype=torch.float32)
    d = torch.as_tensor(d, dtype=torch.float32)
    with torch.no_grad():
        best = q(s2).argmax(dim=1, keepdim=True)
        nxt = q_target(s2).gather(1, best).squeeze(1)
        if args.fault == "f02":
            y = r + GAMMA * nxt
        else:
            y = r + GAMMA * nxt * (1 - d)
    pred = q(s).gather(1, a).squeeze(1)
    loss = F.smooth_l1_loss(pred, y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(q.parameters(), 10.0)
    opt.step()
    return loss.item(), pred.mean().item()


obs, _ = env.reset(seed=args.seed)
episode, ep_return, ep_len = 0, 0.0, 0
scores, lens = deque(maxlen=100), deque(maxlen=100)
loss = mean_q = float("nan")
for step in range(1, args.steps + 1):
    eps = epsilon(step, episode)
    if random.random() < eps:
        action = random.randrange(4)
    else:
        with torch.no_grad():
            action = int(q(torch.as_tensor(obs).unsqueeze(0)).argmax())
    nxt, reward, terminated, truncated, _ = env.step(action)
    memory.append((obs, action, reward, nxt, terminated))
    ep_return += reward
    ep_len += 1
    obs = nxt

    if len(memory) >= WARMUP and step % TRAIN_EVERY == 0:
        loss, mean_q = train_once()
    clock = ep_len if args.fault == "f01" else step
    if clock % SYNC_EVERY == 0:
        q_target.load_state_dict(q.state_dict())

    if terminated or truncated:
        scores.append(ep_return)
        lens.append(ep_len)
        episode, ep_return, ep_len = episode + 1, 0.0, 0
        obs, _ = env.reset()
    if step % 1500 == 0:
        print(f"{step:6d} | ep {episode:5d} | return {np.mean(scores):6.3f} | len {np.mean(lens):5.1f} | "
              f"loss {loss:.4f} | q {mean_q:.3f} | eps {eps:.2f}", flush=True)
