"""The networks: small, with orthogonal weights, and one for images."""

from itertools import pairwise

import numpy as np
import torch
from torch import nn

HIDDEN = 64


def linear(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def torso(shape: tuple[int, ...], extra: int = 0) -> nn.Sequential:
    """The layers up to the last hidden one; `extra` inputs (an action) can be joined to a flat observation."""
    if len(shape) == 3:
        layers = [nn.Conv2d(shape[0], 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d((4, 4)), nn.Flatten()]
        return nn.Sequential(*layers, linear(8 * 16, HIDDEN), nn.Tanh())
    inputs = int(np.prod(shape)) + extra
    return nn.Sequential(linear(inputs, HIDDEN), nn.Tanh(), linear(HIDDEN, HIDDEN), nn.Tanh())


class Network(nn.Module):
    """A torso and a head."""

    def __init__(self, shape: tuple[int, ...], outputs: int, gain: float = 1.0, fault: str = "") -> None:
        super().__init__()
        self.fault = fault
        self.torso, self.head = torso(shape), linear(HIDDEN, outputs, gain)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        features = self.torso(observation)
        if self.fault == "N03":  # a detour through numpy: no gradient behind it
            features = torch.as_tensor(features.detach().numpy())
        out = self.head(features)
        if self.fault == "W15":  # the output cannot leave [-1, 1]
            out = torch.tanh(out)
        if self.fault == "W16":  # the output itself is cut off from the gradient
            out = out.detach()
        return out


class TwinCritic(nn.Module):
    """Two critics of observation and action, computed side by side: the answer has shape (2, batch)."""

    def __init__(self, shape: tuple[int, ...], action_size: int, fault: str = "") -> None:
        super().__init__()
        self.fault = fault
        sizes = [int(np.prod(shape)) + action_size, HIDDEN, HIDDEN, 1]
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for inputs, outputs in pairwise(sizes):
            pair = [linear(inputs, outputs, 1.0 if outputs == 1 else 2**0.5).weight.detach().T for _ in range(2)]
            self.weights.append(nn.Parameter(torch.stack(pair).contiguous()))
            self.biases.append(nn.Parameter(torch.zeros(2, 1, outputs)))

    def forward(self, observation: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        signal = torch.cat([observation.flatten(1), action], dim=1).expand(2, -1, -1)
        for depth, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            signal = torch.baddbmm(bias, signal, weight)
            if depth < 2:
                signal = torch.relu(signal)
            if depth == 1 and self.fault == "N03":  # a detour through numpy: no gradient behind it
                signal = signal.detach()
        return torch.tanh(signal[..., 0]) if self.fault == "W15" else signal[..., 0]


class Normaliser:
    """Running mean and spread of observations."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.mean, self.variance, self.count = np.zeros(shape), np.ones(shape), 1e-4

    def update(self, batch: np.ndarray) -> None:
        total = self.count + len(batch)
        shift = batch.mean(axis=0) - self.mean
        spread = self.variance * self.count + batch.var(axis=0) * len(batch)
        self.variance = (spread + shift**2 * self.count * len(batch) / total) / total
        self.mean = self.mean + shift * len(batch) / total
        self.count = total

    def __call__(self, batch: np.ndarray) -> np.ndarray:
        scaled = (batch - self.mean) / np.sqrt(self.variance + 1e-8)
        return np.clip(scaled, -10.0, 10.0).astype(np.float32)
