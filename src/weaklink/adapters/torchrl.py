"""TorchRL environments: tensordicts in and out, seen as one environment of arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from weaklink.errors import UsageError
from weaklink.evidence.protocols import Stepped
from weaklink.evidence.spaces import Space

NO_OBSERVATION = frozenset({"done", "terminated", "truncated", "reward", "step_count", "episode_reward"})


class TorchRLEnvironment:
    """A TorchRL environment without a batch."""

    def __init__(self, env: Any) -> None:
        if env.batch_size.numel() > 1:
            raise UsageError(
                "A TorchRL environment is surveyed without a batch; this one has batch size "
                f"{tuple(env.batch_size)}. Give one member, or a factory of one."
            )
        self.env = env
        self.inner = env
        self.action = described(env.action_spec)
        keys = [key for key in env.observation_spec.keys() if key not in NO_OBSERVATION]  # noqa: SIM118
        self._keys = tuple(sorted(keys, key=str))
        parts = {str(key): described(env.observation_spec[key]) for key in self._keys}
        self.observation = next(iter(parts.values())) if len(parts) == 1 else Space(kind="dict", parts=parts)
        self.facts: dict[str, Any] = {"framework": "torchrl", "wrappers": _transforms(env), "standard": True}
        self._now: Any = None

    def reset(self, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """Begins an episode."""
        if seed is not None:
            self.env.set_seed(seed)
        self._now = self.env.reset()
        return self._seen(self._now), {}

    def step(self, action: Any) -> Stepped:
        """One step."""
        import torch

        spec = self.env.action_spec
        tensor = torch.as_tensor(np.asarray(action))
        one_hot = type(spec).__name__ in ("OneHot", "OneHotDiscreteTensorSpec")
        if one_hot:
            tensor = torch.nn.functional.one_hot(tensor.long(), spec.space.n)
        following = self._now.clone(recurse=False)
        following[self.env.action_key] = tensor.to(spec.dtype).reshape(spec.shape)
        stepped, self._now = self.env.step_and_maybe_reset(following)
        after = stepped["next"]
        terminated = bool(after.get("terminated", after["done"]).any())
        truncated = bool(after["truncated"].any()) if "truncated" in after.keys() else False  # noqa: SIM118
        reward = float(after[self.env.reward_key].sum())
        return self._seen(after), reward, terminated, truncated, {}

    def _seen(self, found: Any) -> Any:
        values = {str(key): found[key].detach().cpu().numpy() for key in self._keys}
        if len(values) > 1:
            return values
        seen = np.asarray(next(iter(values.values())))
        if self.observation.kind == "discrete":
            return int(seen.argmax()) if seen.size > 1 else int(seen.reshape(-1)[0])
        return seen

    def raw_rewards(self) -> list[float] | None:
        """Not looked for below transforms."""
        return None

    def close(self) -> None:
        """Closes the environment."""
        with contextlib.suppress(Exception):
            self.env.close()


def environment(env: Any) -> TorchRLEnvironment:
    """The adapter of one environment."""
    return TorchRLEnvironment(env)


def described(spec: Any) -> Space:
    """The description of a spec, by the name of its class."""
    name = type(spec).__name__
    shape = tuple(int(edge) for edge in spec.shape)
    if name in ("OneHot", "Categorical", "OneHotDiscreteTensorSpec", "DiscreteTensorSpec"):
        return Space(kind="discrete", dtype="int64", choices=(int(spec.space.n),), first=(0,))
    if name in ("MultiCategorical", "MultiDiscreteTensorSpec"):
        choices = tuple(int(count) for count in spec.nvec.reshape(-1).tolist())
        return Space(kind="multi_discrete", shape=shape, dtype="int64", choices=choices, first=(0,) * len(choices))
    if name in ("Binary", "BinaryDiscreteTensorSpec"):
        return Space(kind="multi_binary", shape=shape, dtype="int8")
    if hasattr(spec, "keys"):
        return Space(kind="dict", parts={str(key): described(spec[key]) for key in spec.keys()})  # noqa: SIM118
    dtype = str(spec.dtype).rpartition(".")[2]
    bounds = getattr(spec, "space", None)
    low, high = (getattr(bounds, side, None) for side in ("low", "high"))
    return Space(kind="box", shape=shape, dtype=dtype, low=_flat(low, shape, -np.inf), high=_flat(high, shape, np.inf))


def _flat(bound: Any, shape: tuple[int, ...], otherwise: float) -> Any:
    if bound is None:
        return np.full(int(np.prod(shape)), otherwise)
    values = np.broadcast_to(bound.detach().cpu().numpy().astype(float), shape).reshape(-1).copy()
    largest = np.finfo(np.float32).max
    return np.where(np.abs(values) >= largest * 0.99, np.sign(values) * np.inf, values)


def _transforms(env: Any) -> tuple[str, ...]:
    transform = getattr(env, "transform", None)
    if transform is None:
        return ()
    several = list(transform) if hasattr(transform, "__iter__") else [transform]
    return tuple(type(one).__name__ for one in several)
