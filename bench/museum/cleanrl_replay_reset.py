"""DQN whose replay holds the first observation of the next episode where a time limit cut one.

CleanRL, issue 460: the next observation of a truncated step comes out of the buffer as the one after the reset, because
the vector has reset already. `--healthy` puts the last observation of the episode in its place.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

GAMMA, BATCH, STARTS, TOTAL, NUM_ENVS, TARGET_EVERY, SIZE = 0.99, 128, 150, 400, 4, 50, 4096


class ReplayBuffer:
    def __init__(self, size, n_obs):
        self.obs, self.next_obs = np.zeros((size, n_obs), np.float32), np.zeros((size, n_obs), np.float32)
        self.actions, self.rewards = np.zeros(size, np.int64), np.zeros(size, np.float32)
        self.terminations = np.zeros(size, np.float32)
        self.size, self.pos, self.full = size, 0, False

    def add(self, obs, next_obs, actions, rewards, terminations):
        for row in zip(obs, next_obs, actions, rewards, terminations, strict=True):
            columns = (self.obs, self.next_obs, self.actions, self.rewards, self.terminations)
            for column, value in zip(columns, row, strict=True):
                column[self.pos] = value
            self.pos = (self.pos + 1) % self.size
            self.full = self.full or self.pos == 0

    def sample(self, rng, count):
        index = rng.integers(self.size if self.full else self.pos, size=count)
        columns = (self.obs, self.next_obs, self.actions, self.rewards, self.terminations)
        return [torch.as_tensor(column[index]) for column in columns]


class QNetwork(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(n_obs, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, n_actions)
        )

    def forward(self, x):
        return self.network(x)


torch.manual_seed(args.seed)
rng = np.random.default_rng(args.seed)
envs = gym.vector.SyncVectorEnv(
    [lambda: gym.make("MountainCar-v0", max_episode_steps=25) for _ in range(NUM_ENVS)],
    autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
)
q_network, target_network = QNetwork(2, 3), QNetwork(2, 3)
target_network.load_state_dict(q_network.state_dict())
optimizer = optim.Adam(q_network.parameters(), lr=1e-3)
rb = ReplayBuffer(SIZE, 2)

obs, _ = envs.reset(seed=args.seed)
for global_step in range(TOTAL):
    if rng.random() < 0.3:
        actions = rng.integers(3, size=NUM_ENVS)
    else:
        with torch.no_grad():
            actions = q_network(torch.Tensor(obs)).argmax(dim=1).numpy()
    next_obs, rewards, terminations, truncations, infos = envs.step(actions)
    real_next_obs = next_obs.copy()
    if args.healthy:
        for idx in np.flatnonzero(terminations | truncations):
            real_next_obs[idx] = infos["final_obs"][idx]
    rb.add(obs, real_next_obs, actions, rewards, terminations)
    obs = next_obs

    if global_step > STARTS:
        b_obs, b_next_obs, b_actions, b_rewards, b_terminations = rb.sample(rng, BATCH)
        with torch.no_grad():
            target_max, _ = target_network(b_next_obs).max(dim=1)
            td_target = b_rewards + GAMMA * target_max * (1 - b_terminations)
        old_val = q_network(b_obs).gather(1, b_actions[:, None]).squeeze()
        loss = F.mse_loss(td_target, old_val)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if global_step % TARGET_EVERY == 0:
            target_network.load_state_dict(q_network.state_dict())
            print(f"step {global_step}: td loss {loss.item():.4f}")
envs.close()
