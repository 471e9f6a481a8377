"""Member environments and small networks for the TorchRL trainers that probes run by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation
from tensordict.nn import NormalParamExtractor
from torch import nn
from torchrl.envs import GymWrapper
from torchrl.modules import MLP, ConvNet, IndependentNormal, TanhNormal

from weaklink.base.errors import UsageError

PIXEL = 255.0
SMALLEST_IMAGE = 20


def make_members(make_env: Callable[[], Any], count: int, seed: int) -> tuple[Any, Any, Any]:
    """Several environments stepped one after the other as one batch.

    Args:
        make_env: makes one of them.
        count: how many.
        seed: of their resets.

    Returns:
        The TorchRL environment, and the observation and action space of a member.
    """
    first = make_env()
    spaces = first.observation_space, first.action_space
    made = [first, *(make_env() for _ in range(count - 1))]
    ready = [each if _plain(spaces[0]) else FlattenObservation(each) for each in made]
    vector = SyncVectorEnv([lambda each=each: each for each in ready], autoreset_mode=AutoresetMode.DISABLED)
    env = GymWrapper(vector, categorical_action_encoding=True)
    env.set_seed(seed)
    return env, *spaces


def make_encoder(space: Any) -> Callable[[Any], Any]:
    """A function from a member's observation to the array that the networks see."""
    if _plain(space):
        return np.asarray
    return lambda observation: gymnasium.spaces.flatten(space, observation)


def _plain(space: Any) -> bool:
    return isinstance(space, Box) and len(space.shape) in (1, 3)


class FeatureNetwork(nn.Module):  # type: ignore[misc]
    """Scaled pixels through convolutions, everything else as it is."""

    def __init__(self, space: Any) -> None:
        super().__init__()
        seen = space if _plain(space) else gymnasium.spaces.flatten_space(space)
        low, high = np.broadcast_arrays(seen.low, seen.high)
        pixels = (low == 0) & (high == PIXEL)
        self.register_buffer("divisor", torch.as_tensor(np.where(pixels, PIXEL, 1.0), dtype=torch.float32))
        self.scaled = bool(pixels.any())
        self.edges = len(seen.shape)
        self.last = self.edges == 3 and seen.shape[-1] <= 4
        self.convolutions = None
        if self.edges == 3:
            channels, *edges = (seen.shape[-1], *seen.shape[:-1]) if self.last else seen.shape
            if min(edges) >= SMALLEST_IMAGE:
                self.convolutions = ConvNet(
                    channels, num_cells=[8, 16], kernel_sizes=[6, 3], strides=[4, 2], activation_class=nn.ReLU
                )
        with torch.no_grad():
            self.size = int(self.forward(torch.zeros(1, *seen.shape)).shape[-1])

    def forward(self, observation: Any) -> Any:
        """The features of a batch of observations."""
        scaled = observation.float() / self.divisor if self.scaled else observation.float()
        if self.edges == 1:
            return scaled
        if self.convolutions is None:
            return scaled.flatten(-self.edges)
        return self.convolutions(scaled.movedim(-1, -3) if self.last else scaled)


class StateNetwork(nn.Module):  # type: ignore[misc]
    """From an observation to some numbers."""

    def __init__(self, space: Any, outputs: int, cells: list[int]) -> None:
        super().__init__()
        self.features = FeatureNetwork(space)
        self.layers = MLP(
            in_features=self.features.size, out_features=outputs, num_cells=cells, activation_class=nn.Tanh
        )

    def forward(self, observation: Any) -> Any:
        """The numbers."""
        return self.layers(self.features(observation))


class ActionNetwork(nn.Module):  # type: ignore[misc]
    """From an observation and a continuous action, brought to [-1, 1], to one number."""

    def __init__(self, space: Any, action_space: Any, cells: list[int]) -> None:
        super().__init__()
        self.features = FeatureNetwork(space)
        low, high = (torch.as_tensor(bound, dtype=torch.float32) for bound in (action_space.low, action_space.high))
        self.register_buffer("middle", (low + high) / 2)
        self.register_buffer("half_range", (high - low) / 2)
        self.scaled = bool((low != -1.0).any() or (high != 1.0).any())
        width = self.features.size + int(np.prod(action_space.shape))
        self.layers = MLP(in_features=width, out_features=1, num_cells=cells, activation_class=nn.ReLU)

    def forward(self, observation: Any, action: Any) -> Any:
        """The value of the action."""
        scaled = (action - self.middle) / self.half_range if self.scaled else action
        return self.layers(torch.cat([self.features(observation), scaled], dim=-1))


class SeveralChoices(torch.distributions.Distribution):  # type: ignore[misc]
    """Independent choices side by side, their logits in one row."""

    arg_constraints: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, logits: Any, counts: tuple[int, ...]) -> None:
        self.parts = [torch.distributions.Categorical(logits=part) for part in logits.split(counts, dim=-1)]
        super().__init__(logits.shape[:-1], torch.Size([len(counts)]), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Any:
        """One draw each."""
        return torch.stack([part.sample(torch.Size(sample_shape)) for part in self.parts], dim=-1)

    @property
    def deterministic_sample(self) -> Any:
        """The likeliest of each."""
        return torch.stack([part.probs.argmax(dim=-1) for part in self.parts], dim=-1)

    def log_prob(self, value: Any) -> Any:
        """Of all of them together."""
        return sum(part.log_prob(chosen) for part, chosen in zip(self.parts, value.unbind(dim=-1), strict=True))

    def entropy(self) -> Any:
        """Of all of them together."""
        return sum(part.entropy() for part in self.parts)


def make_policy_head(space: Any, action_space: Any, cells: list[int]) -> tuple[Any, list[str], Any, dict[str, Any]]:
    """A network for the parameters of a policy, their keys, the distribution and what it is given besides them."""
    if isinstance(action_space, Discrete) and action_space.start == 0:
        network = StateNetwork(space, int(action_space.n), cells)
        return network, ["logits"], torch.distributions.Categorical, {}
    if isinstance(action_space, MultiDiscrete) and action_space.nvec.ndim == 1:
        counts = tuple(int(count) for count in action_space.nvec)
        return StateNetwork(space, sum(counts), cells), ["logits"], SeveralChoices, {"counts": counts}
    if isinstance(action_space, Box) and len(action_space.shape) == 1:
        network = nn.Sequential(StateNetwork(space, 2 * action_space.shape[0], cells), NormalParamExtractor())
        if not bounded(action_space):
            return network, ["loc", "scale"], IndependentNormal, {}
        low, high = (torch.as_tensor(bound, dtype=torch.float32) for bound in (action_space.low, action_space.high))
        return network, ["loc", "scale"], TanhNormal, {"low": low, "high": high}
    raise UsageError(
        "A TorchRL trainer by name takes Discrete actions from 0, MultiDiscrete ones in a row or a Box of one "
        f"dimension, not {action_space}. Give a trainer of your own that returns agent_of(...)."
    )


def bounded(action_space: Any) -> bool:
    """Whether every action has finite bounds."""
    return bool(np.isfinite(action_space.low).all() and np.isfinite(action_space.high).all())
