"""TorchRL environments: tensordicts in and out, seen as one environment of arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import Stepped
from weaklink.base.evidence.spaces import Space

NO_OBSERVATION = frozenset({"done", "terminated", "truncated", "reward", "step_count", "episode_reward"})
ONE_OF_MANY = ("OneHot", "OneHotDiscreteTensorSpec")
ONE_HOT = (*ONE_OF_MANY, "MultiOneHot", "MultiOneHotDiscreteTensorSpec")


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
        self.action = describe_spec(env.action_spec)
        keys = [key for key in env.observation_spec.keys() if key not in NO_OBSERVATION]  # noqa: SIM118
        self._keys = tuple(sorted(keys, key=str))
        parts = {str(key): describe_spec(env.observation_spec[key]) for key in self._keys}
        self.observation = next(iter(parts.values())) if len(parts) == 1 else Space(kind="dict", parts=parts)
        self.facts: dict[str, Any] = {"framework": "torchrl", "wrappers": _list_transforms(env), "standard": True}
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
        chosen = np.asarray(action)
        if type(spec).__name__ in ONE_HOT:
            counts = zip(chosen.reshape(-1).tolist(), self.action.choices, strict=True)
            chosen = np.concatenate([np.arange(count) == place for place, count in counts])
        tensor = torch.as_tensor(chosen)
        following = self._now.clone(recurse=False)
        following[self.env.action_key] = tensor.to(spec.dtype).reshape(spec.shape)
        stepped, self._now = self.env.step_and_maybe_reset(following)
        after = stepped["next"]
        terminated = bool(after.get("terminated", after["done"]).any())
        truncated = bool(after["truncated"].any()) if "truncated" in after.keys() else False  # noqa: SIM118
        reward = float(after[self.env.reward_key].sum())
        return self._seen(after), reward, terminated, truncated, {}

    def _seen(self, found: Any) -> Any:
        values = {str(key): _read_value(self.env.observation_spec[key], found[key]) for key in self._keys}
        return values if len(values) > 1 else next(iter(values.values()))

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


def describe_spec(spec: Any) -> Space:
    """The description of a spec, by the name of its class."""
    name = type(spec).__name__
    shape = tuple(int(edge) for edge in spec.shape)
    if name in (*ONE_OF_MANY, "Categorical", "DiscreteTensorSpec"):
        return Space(kind="discrete", dtype="int64", choices=(int(spec.space.n),), first=(0,))
    if name in (*ONE_HOT, "MultiCategorical", "MultiDiscreteTensorSpec"):
        choices = tuple(int(count) for count in spec.nvec.reshape(-1).tolist())
        shape = (len(choices),) if name in ONE_HOT else shape
        return Space(kind="multi_discrete", shape=shape, dtype="int64", choices=choices, first=(0,) * len(choices))
    if name in ("Binary", "BinaryDiscreteTensorSpec"):
        return Space(kind="multi_binary", shape=shape, dtype="int8")
    if hasattr(spec, "keys"):
        return Space(kind="dict", parts={str(key): describe_spec(spec[key]) for key in spec.keys()})  # noqa: SIM118
    dtype = str(spec.dtype).rpartition(".")[2]
    bounds = getattr(spec, "space", None)
    low, high = (getattr(bounds, side, None) for side in ("low", "high"))
    return Space(
        kind="box",
        shape=shape,
        dtype=dtype,
        low=_flatten_bound(low, shape, -np.inf),
        high=_flatten_bound(high, shape, np.inf),
    )


def _read_value(spec: Any, found: Any) -> Any:
    """What was seen, with choices as their numbers."""
    if hasattr(spec, "keys"):
        return {str(key): _read_value(spec[key], found[key]) for key in spec.keys()}  # noqa: SIM118
    seen = np.asarray(found.detach().cpu().numpy())
    name = type(spec).__name__
    if name in ONE_OF_MANY:
        return int(seen.argmax())
    if name in ONE_HOT:
        pieces = np.split(seen, np.cumsum(np.asarray(spec.nvec))[:-1])
        return np.array([piece.argmax() for piece in pieces])
    return int(seen.reshape(-1)[0]) if name in ("Categorical", "DiscreteTensorSpec") else seen


def _flatten_bound(bound: Any, shape: tuple[int, ...], otherwise: float) -> Any:
    if bound is None:
        return np.full(int(np.prod(shape)), otherwise)
    values = np.broadcast_to(bound.detach().cpu().numpy().astype(float), shape).reshape(-1).copy()
    largest = np.finfo(np.float32).max
    return np.where(np.abs(values) >= largest * 0.99, np.sign(values) * np.inf, values)


def _list_transforms(env: Any) -> tuple[str, ...]:
    transform = getattr(env, "transform", None)
    if transform is None:
        return ()
    several = list(transform) if hasattr(transform, "__iter__") else [transform]
    return tuple(type(one).__name__ for one in several)
