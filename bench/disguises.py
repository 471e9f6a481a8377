"""Environments in disguise: another scale, order, range, type or layout, and the very same fault.

Each disguise is a wrapper that keeps the contract: spaces say what comes through it, seeds and infos are handed on, and
what an environment does wrong (values outside of its bounds, four values instead of five) is handed on as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import util
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium import spaces

SEED = 11
"""Permutations, scales and shifts are drawn once and are the same for every instance."""

LEAST, MOST = 0.1, 30.0
"""The scales that columns are given."""

RANGE = 4.0
"""How many times as wide the range of a Box action becomes, around zero."""

CLOCK, NOISE = 100.0, 1.0
"""Steps of the episode at which the clock shows 1, and the standard deviation of the noise."""

Row = np.ndarray[Any, Any]


class Inapplicable(Exception):
    """The disguise means nothing for these spaces."""


class PaidInOtherUnits(gym.Wrapper[Any, Any, Any, Any]):
    """Every reward times a positive factor."""

    def __init__(self, env: gym.Env[Any, Any], factor: float) -> None:
        super().__init__(env)
        self.factor = factor

    def step(self, action: Any) -> Any:
        observation, reward, *rest = self.env.step(action)
        return observation, self.factor * reward, *rest


class SeenOtherwise(gym.Wrapper[Any, Any, Any, Any]):
    """What is seen goes through a function, where it has the shape that was declared."""

    def __init__(self, env: gym.Env[Any, Any], space: spaces.Space[Any], see: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self.observation_space, self.see, self.shape = space, see, env.observation_space.shape

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = self.env.reset(seed=seed, options=options)
        return self.change(observation), info

    def step(self, action: Any) -> Any:
        observation, *rest = self.env.step(action)
        return self.change(observation), *rest

    def change(self, observation: Any) -> Any:
        fits = self.shape is None or np.shape(observation) == self.shape
        return self.see(observation) if fits else observation


class SeenWithMore(SeenOtherwise):
    """Two more columns: the clock of the episode and noise of its own, which a seed makes anew."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        box = find_row(env.observation_space)
        low, high = np.append(box.low, [0.0, -np.inf]), np.append(box.high, [np.inf, np.inf])
        dtype: Any = box.dtype
        super().__init__(env, spaces.Box(low.astype(dtype), high.astype(dtype), dtype=dtype), self.add)
        self.noise = np.random.default_rng(SEED)
        self.now = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.now = 0
        if seed is not None:
            self.noise = np.random.default_rng([SEED, seed])
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        self.now += 1
        return super().step(action)

    def add(self, row: Row) -> Row:
        return np.append(row, [self.now / CLOCK, NOISE * self.noise.normal()]).astype(np.asarray(row).dtype)


class ToldOtherwise(gym.Wrapper[Any, Any, Any, Any]):
    """What is done goes through a function, and masks of choices are put into their new order."""

    def __init__(
        self, env: gym.Env[Any, Any], space: spaces.Space[Any], do: Callable[[Any], Any], order: Row | None = None
    ) -> None:
        super().__init__(env)
        self.action_space, self.do, self.order = space, do, order

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = self.env.reset(seed=seed, options=options)
        return self.reorder(observation), self.reorder(info)

    def step(self, action: Any) -> Any:
        observation, *rest, info = self.env.step(self.do(action))
        return self.reorder(observation), *rest, self.reorder(info)

    def reorder(self, told: Any) -> Any:
        if self.order is None or not isinstance(told, dict):
            return told
        masks = {key: each for key, each in told.items() if "mask" in key and np.shape(each) == self.order.shape}
        return {**told, **{key: np.asarray(each)[self.order] for key, each in masks.items()}} if masks else told

    def action_masks(self) -> Any:
        mask = np.asarray(self.env.get_wrapper_attr("action_masks")())
        return mask if self.order is None else mask[self.order]


def find_row(space: spaces.Space[Any]) -> spaces.Box:
    """The space, where what is seen is a row of real numbers."""
    if not isinstance(space, spaces.Box) or len(space.shape) != 1 or space.dtype is None or space.dtype.kind != "f":
        raise Inapplicable
    return space


def permute_columns(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    space = env.observation_space
    row = isinstance(space, spaces.Box | spaces.MultiDiscrete | spaces.MultiBinary) and len(space.shape) == 1
    if not row or space.shape is None or space.shape[0] < 2:
        raise Inapplicable
    order = np.random.default_rng(SEED).permutation(space.shape[0])
    if isinstance(space, spaces.Box):
        permuted: spaces.Space[Any] = spaces.Box(space.low[order], space.high[order], dtype=space.dtype)
    elif isinstance(space, spaces.MultiDiscrete):
        permuted = spaces.MultiDiscrete(space.nvec[order], dtype=space.dtype, start=space.start[order])
    else:
        permuted = space
    return SeenOtherwise(env, permuted, lambda row: np.asarray(row)[order])


def rescale_columns(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Every column gets a scale and a shift of its own."""
    box = find_row(env.observation_space)
    rng = np.random.default_rng(SEED)
    scale = np.exp(rng.uniform(np.log(LEAST), np.log(MOST), box.shape))
    shift, dtype = scale * rng.uniform(-2.0, 2.0, box.shape), box.dtype

    def see(row: Row) -> Row:
        return np.asarray(scale * row + shift).astype(np.asarray(row).dtype)

    low, high = (np.asarray(scale * each.astype(float) + shift) for each in (box.low, box.high))
    with np.errstate(over="ignore"):
        return SeenOtherwise(env, spaces.Box(low.astype(dtype), high.astype(dtype), dtype=dtype), see)


def change_type(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Numbers of the other width."""
    space = env.observation_space
    other: dict[str, type[Any]] = {"float32": np.float64, "float64": np.float32, "int64": np.int32, "int32": np.int64}
    if not isinstance(space, spaces.Box) or str(space.dtype) not in other:
        raise Inapplicable
    dtype = other[str(space.dtype)]
    with np.errstate(over="ignore"):
        wide = spaces.Box(space.low.astype(dtype), space.high.astype(dtype), dtype=dtype)
    return SeenOtherwise(env, wide, lambda seen: np.asarray(seen).astype(dtype))


def nest_in_dict(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    space = env.observation_space
    if isinstance(space, spaces.Dict):
        if "achieved_goal" in space.spaces or any("mask" in key for key in space.spaces):
            raise Inapplicable  # who reads these looks for them by their names
        return SeenOtherwise(env, spaces.Dict({"all": space}), lambda seen: {"all": seen})
    return SeenOtherwise(env, spaces.Dict({"sensors": space}), lambda seen: {"sensors": seen})


def relabel_choices(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    space = env.action_space
    if not isinstance(space, spaces.Discrete) or space.n < 2:
        raise Inapplicable
    order, first = np.random.default_rng(SEED).permutation(int(space.n)), int(space.start)
    if np.array_equal(order, np.arange(len(order))):
        order = order[::-1].copy()

    def do(action: Any) -> Any:
        place = int(action) - first
        return np.int64(order[place] + first) if 0 <= place < len(order) else action

    return ToldOtherwise(env, spaces.Discrete(int(space.n), start=first), do, order)


def widen_range(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    space = env.action_space
    if not isinstance(space, spaces.Box) or not np.isfinite([space.low, space.high]).all():
        raise Inapplicable
    dtype: Any = space.dtype
    wide = spaces.Box((RANGE * space.low).astype(dtype), (RANGE * space.high).astype(dtype), dtype=dtype)
    return ToldOtherwise(env, wide, lambda action: (np.asarray(action) / RANGE).astype(dtype))


class Disguise(NamedTuple):
    """How an environment is wrapped, and the codes of faults that this takes away, changes, or is."""

    wrap: Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]
    spares: frozenset[str] = frozenset()


def _spare(*codes: str) -> frozenset[str]:
    return frozenset(codes)


DISGUISES = {
    "wrapped": Disguise(gym.Wrapper),
    # what is wrong is the size of rewards itself
    "paid x 7": Disguise(lambda env: PaidInOtherUnits(env, 7.0), _spare("REW104")),
    "paid x 0.05": Disguise(lambda env: PaidInOtherUnits(env, 0.05), _spare("REW104")),
    # an array that is handed out anew is not written into later; blocks of columns in their order are what frames are
    "columns permuted": Disguise(permute_columns, _spare("OBS107", "OBS113")),
    # and the relation of columns (their scales, their sum, their being equal) is what a scale of their own changes
    "columns rescaled": Disguise(
        rescale_columns, _spare("OBS107", "OBS103", "OBS112", "OBS113", "OBS117", "OBS119", "OBS122")
    ),
    # a clock changes where nothing does, and tells how much is still to come
    "more columns": Disguise(SeenWithMore, _spare("OBS107", "OBS101", "OBS108", "OBS112", "OBS113")),
    "choices relabelled": Disguise(relabel_choices),
    # what is written into is an array of the wrapper
    "actions in another range": Disguise(widen_range, _spare("ACT112")),
    # what is wrong is the type
    "another type": Disguise(change_type, _spare("OBS107", "ENV101")),
    "nested in a dict": Disguise(nest_in_dict),
}


@cache
def _load_factories(file: str) -> Any:
    spec = util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def make_disguised(file: str, factory: str, disguise: str) -> Any:
    """The environment of a factory, in disguise; an empty name leaves it as it is."""
    env = getattr(_load_factories(file), factory)()
    return DISGUISES[disguise].wrap(env) if disguise else env
