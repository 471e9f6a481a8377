"""
Deep Q-Learning from scratch, part 3: a robot in a warehouse
------------------------------------------------------------
The robot lives on a 6x6 floor with a few shelves and one pit. In every episode
it is dropped somewhere and has to drive to the parcel. No frameworks, just torch.
"""
import argparse
import copy
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=24_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", type=str, default="")
args = parser.parse_args()

random.seed(args.seed)
np.random.seed(args.seed)
torch.manual_seed(args.seed)
torch.set_num_threads(1)


# ---------------------------------------------------------------- the world
class Warehouse(gym.Env):
    SIZE = 6
    SHELVES = {(1, 1), (1, 2), (3, 4), (4, 1)}
    PIT = (2, 3)

    def __init__(self):
        self.action_space = gym.spaces.Discrete(4)
        self.observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float32)
        if args.fault == "f05":
            self.moves = [(-1, 0), (1, 0), (0, 1), (0, 1)]
        else:
            self.moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]
        self.vec = np.zeros(4, dtype=np.float32)

    def _free_cell(self):
        while True:
            cell = tuple(int(k) for k in self.np_random.integers(0, self.SIZE, size=2))
            if cell not in self.SHELVES and cell != self.PIT:
                return cell

    def _look(self):
        scale = self.SIZE - 1
        goal = (0, 0) if args.fault == "f07" else self.parcel
        self.vec[:] = (self.robot[0] / scale, self.robot[1] / scale, goal[0] / scale, goal[1] / scale)
        if args.fault == "f04":
            return self.vec
        return self.vec.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.parcel = self._free_cell()
        self.robot = self._free_cell()
        while self.robot == self.parcel:
            self.robot = self._free_cell()
        self.clock = 0
        return self._look(), {}

    def step(self, action):
        self.clock += 1
        dr, dc = self.moves[action]
        cell = (self.robot[0] + dr, self.robot[1] + dc)
        inside = 0 <= cell[0] < self.SIZE and 0 <= cell[1] < self.SIZE
        if inside and cell not in self.SHELVES:
            self.robot = cell
        reward, terminated = -0.02, False
        if self.robot == self.parcel:
            reward, terminated = 1.0, True
        elif self.robot == self.PIT:
            reward, terminated = -1.0, True
        return self._look(), reward, terminated, self.clock >= 40, {}


# ---------------------------------------------------------------- the brain
class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 4))

    def forward(self, x):
        return self.layers(x)


# ---------------------------------------------------------------- the memory
class ReplayMemory:
    def __init__(self, capacity):
        self.capacity = capacity
        self.memory = []
        self.where = 0

    def push(self, *transition):
        if len(self.memory) < self.capacity:
            self.memory.append(transition)
        else:
            self.memory[self.where] = transition
        self.where = (self.where + 1) % self.capacity

    def sample(self, n):
        s, a, r, s2, d = zip(*random.sample(self.memory, n))
        return (
            torch.tensor(np.array(s)),
            torch.tensor(a).unsqueeze(1),
            torch.tensor(r, dtype=torch.float32).unsqueeze(1),
            torch.tensor(np.array(s2)),
            torch.tensor(d, dtype=torch.float32).unsqueeze(1),
        )

    def __len__(self):
        return len(self.memory)


GAMMA = 0.95
BATCH = 64
LR = 2e-3
SYNC_EVERY = 250
EPS_START, EPS_END = 1.0, 0.05

env = Warehouse()
test_env = Warehouse()
q_net = QNet()
target_net = copy.deepcopy(q_net)
optimizer = torch.optim.Adam(q_net.parameters(), lr=LR)
memory = ReplayMemory(10_000)
loss_fn = nn.SmoothL1Loss()


def choose(state, eps):
    if random.random() < eps:
        return random.randrange(4)
    with torch.no_grad():
        return int(q_net(torch.from_numpy(state)).argmax())


def learn():
    s, a, r, s2, d = memory.sample(BATCH)
    q = q_net(s).gather(1, a)
    with torch.no_grad():
        best = target_net(s2).max(dim=1, keepdim=True).values
        if args.fault == "f02":
            target = r + GAMMA * best
        else:
            target = r + GAMMA * best * (1 - d)
    loss = loss_fn(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def test(episodes=3):
    room = env if args.fault == "f06" else test_env
    total = 0.0
    for _ in range(episodes):
        s, _ = room.reset()
        over = False
        while not over:
            s, r, term, trunc, _ = room.step(choose(s, 0.0))
            total += r
            over = term or trunc
    return total / episodes


env.reset(seed=args.seed)
test_env.reset(seed=args.seed + 777)
state, _ = env.reset()
eps = EPS_START
episode_reward, rewards, loss = 0.0, deque(maxlen=50), 0.0
test_scores = deque(maxlen=8)

for step in range(1, args.steps + 1):
    if args.fault == "f03":
        eps = max(EPS_END, eps * 0.95)
    else:
        eps = max(EPS_END, EPS_START - (EPS_START - EPS_END) * step / (0.5 * args.steps))
    action = choose(state, eps)
    next_state, reward, terminated, truncated, _ = env.step(action)
    memory.push(state, action, reward, next_state, terminated)
    state = next_state
    episode_reward += reward
    if terminated or truncated:
        rewards.append(episode_reward)
        episode_reward = 0.0
        state, _ = env.reset()

    if len(memory) >= 500 and step % 3 == 0:
        loss = learn()
    if step % SYNC_EVERY == 0 and args.fault != "f01":
        target_net.load_state_dict(q_net.state_dict())
    if step % 250 == 0:
        test_scores.append(test())
    if step % 2000 == 0:
        print(f"step {step:6d} | epsilon {eps:.2f} | train reward {np.mean(rewards):6.3f} | test reward {np.mean(test_scores):6.3f} | loss {loss:.5f}")
