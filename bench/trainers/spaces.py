"""From the spaces of an environment to numbers that a network takes and gives, and back."""

from typing import Any

import numpy as np
from gymnasium import spaces


class ObservationCode:
    """Turns a native observation into a float array: images stay images, everything else becomes one vector."""

    def __init__(self, space: spaces.Space, fault: str = "") -> None:
        self.space, self.fault = space, fault
        self.image = isinstance(space, spaces.Box) and len(space.shape) == 3
        self.shape = self(space.sample()).shape

    def __call__(self, observation: Any) -> np.ndarray:
        code = _channels_first(self.space, observation) if self.image else _flat(self.space, observation)
        if self.fault == "O05":  # what the observation says in its last half never arrives
            code = code.copy()
            code[len(code) // 2 :] = 0.0
        return code


def _flat(space: spaces.Space, observation: Any) -> np.ndarray:
    if isinstance(space, spaces.Box):
        return np.asarray(observation, dtype=np.float32).reshape(-1) / _scale(space)
    if isinstance(space, spaces.Discrete):
        return np.eye(space.n, dtype=np.float32)[int(observation) - space.start]
    if isinstance(space, spaces.MultiDiscrete):
        parts = [np.eye(n, dtype=np.float32)[int(i)] for n, i in zip(space.nvec, observation, strict=True)]
        return np.concatenate(parts)
    if isinstance(space, spaces.Dict):
        return np.concatenate([_flat(part, observation[key]) for key, part in space.spaces.items()])
    if isinstance(space, spaces.Tuple):
        return np.concatenate([_flat(part, given) for part, given in zip(space.spaces, observation, strict=True)])
    return np.asarray(observation, dtype=np.float32).reshape(-1)


def _scale(space: spaces.Box) -> float:
    largest = max(abs(float(space.low.min())), abs(float(space.high.max())))
    return max(1.0, largest) if np.isfinite(largest) else 1.0


def _channels_first(space: spaces.Box, image: Any) -> np.ndarray:
    pixels = np.asarray(image, dtype=np.float32) / _scale(space)
    return pixels.transpose(2, 0, 1) if space.shape[2] in (1, 3, 4) else pixels


class ActionCode:
    """Turns what a policy draws (indices, or numbers where -1 and 1 are the bounds) into native actions, and back."""

    def __init__(self, space: spaces.Space, fault: str = "") -> None:
        self.space, self.fault = space, fault
        self.continuous = isinstance(space, spaces.Box)
        if self.continuous:
            bounded = np.isfinite(space.low) & np.isfinite(space.high)
            self.low = np.where(bounded, space.low, -1.0).reshape(-1)
            self.half = (np.where(bounded, space.high, 1.0).reshape(-1) - self.low) / 2
            self.size = len(self.low)
        else:
            self.choices = [int(n) for n in _choices(space)]
            self.size = len(self.choices)

    def native(self, drawn: np.ndarray) -> Any:
        if isinstance(self.space, spaces.Discrete):
            return int(drawn[0]) + int(self.space.start)
        if not self.continuous:
            return np.asarray(drawn, dtype=self.space.dtype).reshape(self.space.shape)
        native = self.low + (np.clip(drawn, -1.0, 1.0) + 1.0) * self.half
        if self.fault == "A05":  # the range of the environment is forgotten
            native = drawn
        inside = np.clip(native.reshape(self.space.shape), self.space.low, self.space.high)
        return inside.astype(self.space.dtype)

    def drawn(self, native: Any) -> np.ndarray:
        if isinstance(self.space, spaces.Discrete):
            return np.array([int(native) - int(self.space.start)], dtype=np.int64)
        if not self.continuous:
            return np.asarray(native, dtype=np.int64).reshape(-1)
        native = np.asarray(native, dtype=np.float32).reshape(-1)
        return native if self.fault == "A05" else ((native - self.low) / self.half - 1.0).astype(np.float32)

    def log_stretch(self) -> float:
        """What to take off a log density of the drawn action to get that of the native one."""
        return float(np.log(self.half).sum()) if self.continuous and self.fault != "A05" else 0.0


def _choices(space: spaces.Space) -> Any:
    if isinstance(space, spaces.Discrete):
        return [space.n]
    if isinstance(space, spaces.MultiBinary):
        return [2] * int(np.prod(space.shape))
    return space.nvec.reshape(-1)
