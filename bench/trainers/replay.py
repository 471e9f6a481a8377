"""A replay memory of single transitions."""

from typing import NamedTuple

import numpy as np
import torch

from .members import Step


class Batch(NamedTuple):
    observations: torch.Tensor
    actions: torch.Tensor
    rewards: torch.Tensor
    following: torch.Tensor
    terminated: torch.Tensor


class Replay:
    """Keeps everything (the runs are short) and draws uniformly."""

    def __init__(self, seed: int, fault: str = "") -> None:
        self.fault, self.random = fault, np.random.default_rng(seed)
        self.observations: list[np.ndarray] = []
        self.following: list[np.ndarray] = []
        self.actions: list[np.ndarray] = []
        self.rewards: list[float] = []
        self.terminated: list[bool] = []

    def __len__(self) -> int:
        return len(self.rewards)

    def add(self, step: Step) -> None:
        """Keeps the step of the first member."""
        self.observations.append(step.observations[0])
        self.actions.append(step.actions[0])
        self.rewards.append(float(step.rewards[0]))
        self.following.append(step.following[0])
        self.terminated.append(bool(step.terminated[0]))

    def draw(self, size: int) -> Batch:
        index = self.random.integers(len(self), size=size)
        actions_from = rewards_from = following_from = index
        if self.fault == "W11":  # the outcome is looked up one place too early
            rewards_from = np.maximum(index - 1, 0)
        elif self.fault == "W12":  # actions are drawn with an index of their own
            actions_from = self.random.integers(len(self), size=size)
        elif self.fault == "W13":  # the next observation is taken one place too late
            following_from = np.minimum(index + 1, len(self) - 1)
        elif self.fault == "W14":  # only the first few transitions are ever drawn
            index = actions_from = rewards_from = following_from = index % 4
        return Batch(
            torch.as_tensor(np.array([self.observations[i] for i in index])),
            torch.as_tensor(np.array([self.actions[i] for i in actions_from])),
            torch.as_tensor(np.array([self.rewards[i] for i in rewards_from], dtype=np.float32)),
            torch.as_tensor(np.array([self.following[i] for i in following_from])),
            torch.as_tensor(np.array([self.terminated[i] for i in index], dtype=np.float32)),
        )
