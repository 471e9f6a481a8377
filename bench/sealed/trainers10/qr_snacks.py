"""QR-DQN from pixels.

>>> Trainer(steps=30_000, seed=0, fault="none").fit()
"""
from __future__ import annotations

import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIDE = 5


class SnackRoom(gym.Env):
    """A 5x5 room seen from above. Channel 0: me, 1: snack, 2: mine."""

    MOVES = np.array([[-1, 0], [1, 0], [0, -1], [0, 1]])

    def __init__(self, fixed_seed: int | None = None):
        self.observation_space = gym.spaces.Box(0, 255, (3, SIDE, SIDE), np.uint8)
        self.action_space = gym.spaces.Discrete(4)
        self.fixed_seed = fixed_seed

    def _free_cell(self, taken):
        while True:
            cell = self.np_random.integers(0, SIDE, size=2)
            if all((cell != c).any() for c in taken):
                return cell

    def _image(self):
        img = np.zeros((3, SIDE, SIDE), np.uint8)
        img[0, self.me[0], self.me[1]] = 255
        img[1, self.snack[0], self.snack[1]] = 255
        img[2, self.mine[0], self.mine[1]] = 255
        return img

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed if self.fixed_seed is None else self.fixed_seed)
        self.me = self._free_cell([])
        self.mine = self._free_cell([self.me])
        self.snack = self._free_cell([self.me, self.mine])
        return self._image(), {}

    def step(self, action):
        self.me = np.clip(self.me + self.MOVES[action], 0, SIDE - 1)
        if (self.me == self.mine).all():
            return self._image(), -1.0, True, False, {}
        reward = 0.0
        if (self.me == self.snack).all():
            reward = 1.0
            self.snack = self._free_cell([self.me, self.mine])
        return self._image(), reward, False, False, {}


class QuantileNet(nn.Module):
    def __init__(self, n_actions: int, n_quantiles: int):
        super().__init__()
        self.n_actions, self.n_quantiles = n_actions, n_quantiles
        self.conv = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3), nn.ReLU(), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(12 * (SIDE - 2) ** 2, 96), nn.ReLU(), nn.Linear(96, n_actions * n_quantiles))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = images.float() / 255.0
        return self.head(self.conv(x)).view(-1, self.n_actions, self.n_quantiles)


class ReplayMemory:
    def __init__(self, capacity: int, fault: str):
        self.capacity, self.fault = capacity, fault
        self.images = np.zeros((capacity, 3, SIDE, SIDE), np.uint8)
        self.next_images = np.zeros((capacity, 3, SIDE, SIDE), np.uint8)
        self.actions = np.zeros(capacity, np.int64)
        self.rewards = np.zeros(capacity, np.float32)
        self.terminal = np.zeros(capacity, np.float32)
        self.head = 0
        self.filled = 0

    def append(self, image, action, reward, next_image, terminated):
        at = self.head
        self.images[at] = image
        self.actions[at] = action
        self.next_images[at] = next_image
        self.terminal[at] = float(terminated)
        self.head = (self.head + 1) % self.capacity
        if self.fault == "f02":
            at = self.head
        self.rewards[at] = reward
        self.filled = min(self.filled + 1, self.capacity)

    def draw(self, rng: np.random.Generator, n: int):
        rows = rng.integers(0, self.filled, size=n)
        images, next_images = self.images[rows], self.next_images[rows]
        if self.fault == "f07":
            images = self.images[:self.filled].astype(np.float64)[rows]
            next_images = self.next_images[:self.filled].astype(np.float64)[rows]
        images, next_images = torch.as_tensor(images), torch.as_tensor(next_images)
        if self.fault == "f01":
            images, next_images = images / 255.0, next_images / 255.0
        return (images, torch.as_tensor(self.actions[rows]), torch.as_tensor(self.rewards[rows]),
                next_images, torch.as_tensor(self.terminal[rows]))


class Trainer:
    gamma = 0.9
    batch_size = 32
    n_quantiles = 8
    kappa = 1.0
    polyak = 0.02
    warmup = 800
    learn_every = 3

    def __init__(self, steps: int, seed: int, fault: str):
        self.steps, self.fault = steps, fault
        self.rng = np.random.default_rng(seed)
        room = SnackRoom(fixed_seed=seed) if fault == "f05" else SnackRoom()
        self.env = gym.wrappers.TimeLimit(room, 40)
        self.first_seed = seed
        self.net = QuantileNet(4, self.n_quantiles)
        self.target = copy.deepcopy(self.net).requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3, eps=1e-4)
        self.memory = ReplayMemory(20_000, fault)
        self.tau = (torch.arange(self.n_quantiles, dtype=torch.float32) + 0.5) / self.n_quantiles

    def epsilon(self, step: int) -> float:
        return max(0.05, 1.0 - step / (0.3 * self.steps))

    def act(self, image: np.ndarray, epsilon: float) -> int:
        explore = self.rng.random() < epsilon
        if self.fault == "f06":
            explore = not explore
        if explore:
            return int(self.rng.integers(4))
        with torch.no_grad():
            return int(self.net(torch.as_tensor(image)[None]).mean(-1).argmax(-1))

    def quantile_loss(self, pred: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
        diff = goal[:, None, :] - pred[:, :, None]
        huber = torch.where(diff.abs() <= self.kappa, 0.5 * diff.pow(2), self.kappa * (diff.abs() - 0.5 * self.kappa))
        if self.fault == "f03":
            tau = self.tau.view(1, 1, -1)
        else:
            tau = self.tau.view(1, -1, 1)
        weight = (tau - (diff.detach() < 0).float()).abs()
        return (weight * huber / self.kappa).mean(2).sum(1).mean()

    def learn(self) -> float:
        images, actions, rewards, next_images, terminal = self.memory.draw(self.rng, self.batch_size)
        with torch.no_grad():
            z_next = self.target(next_images)
            best = z_next.mean(-1).argmax(-1)
            z_best = z_next[torch.arange(len(best)), best]
            alive = torch.ones_like(terminal) if self.fault == "f04" else 1.0 - terminal
            goal = rewards[:, None] + self.gamma * alive[:, None] * z_best
        pred = self.net(images)[torch.arange(len(actions)), actions]
        loss = self.quantile_loss(pred, goal)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(self.target.parameters(), self.net.parameters()):
                slow.lerp_(fast, self.polyak)
        return loss.item()

    def fit(self):
        image, _ = self.env.reset(seed=self.first_seed)
        score, scores, losses = 0.0, [], []
        for step in range(1, self.steps + 1):
            action = self.act(image, self.epsilon(step))
            next_image, reward, terminated, truncated, _ = self.env.step(action)
            self.memory.append(image, action, reward, next_image, terminated)
            score += reward
            image = next_image
            if terminated or truncated:
                scores.append(score)
                score = 0.0
                image, _ = self.env.reset()
            if step > self.warmup and step % self.learn_every == 0:
                losses.append(self.learn())
            if step % 2000 == 0:
                print(f"{step:>7d} steps  score={np.mean(scores[-40:]):+.2f}  eps={self.epsilon(step):.2f}  "
                      f"loss={np.mean(losses[-500:]):.4f}", flush=True)


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--steps", type=int, default=30_000)
    cli.add_argument("--seed", type=int, default=0)
    cli.add_argument("--fault", default="none")
    options = cli.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)
    Trainer(options.steps, options.seed, options.fault).fit()
