"""Episodes: those of a training as they end, and those of random play."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from weaklink.adapters.environments import adapt_environment
from weaklink.base.errors import UsageError
from weaklink.base.evidence.comparison import ActionLayout
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, find_bounds, make_flattener, sample_space, unflatten_rows

SEED = 0
RANDOM_EPISODES = 20
ENOUGH_STEPS, MOST_STEPS = 5000, 20_000
FEWEST_EPISODES = 5
KEPT = 64
"""Observations that agents are asked about."""

DRAWN = 256


class EpisodeCollector:
    """Keeps the episodes of one training; what happens in other processes comes back through a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._home = os.getpid()
        self._rows: list[tuple[float, ...]] = []
        self.steps = 0

    def stepped(self) -> None:
        """One more step."""
        self.steps += 1

    def ended(self, total: float, length: int) -> None:
        """One more episode."""
        row = (float(self.steps), total, float(length))
        if os.getpid() == self._home:
            self._rows.append(row)
        elif self._folder is not None:
            with (self._folder / f"{os.getpid()}.episodes").open("ab") as file:
                file.write(np.array(row).tobytes())

    def rows(self) -> Array:
        """Step, return and length of each, in their order; other processes are taken to step as often as each other."""
        elsewhere = sorted(self._folder.glob("*.episodes")) if self._folder is not None else []
        parts = [np.array(self._rows, float).reshape(-1, 3)]
        for file in elsewhere:
            content = file.read_bytes()
            rows = np.frombuffer(content[: len(content) // 24 * 24]).reshape(-1, 3)
            parts.append(rows * (len(elsewhere), 1.0, 1.0))
        joined = np.concatenate(parts)
        return joined[np.argsort(joined[:, 0], kind="stable")]


class RandomPlay(msgspec.Struct, frozen=True):
    """What random play saw: observations as flattened rows, and the returns of its episodes."""

    rows: Array
    returns: tuple[float, ...]
    actions: ActionLayout


def play_at_random(make: Callable[[], Any]) -> RandomPlay:
    """Plays at random, the same way each time, and keeps a fixed number of observations from all of it."""
    environment = adapt_environment(make())
    _check(environment)
    try:
        return _play(environment)
    finally:
        environment.close()


def _check(environment: Environment) -> None:
    if environment.facts.get("framework") != "gymnasium" or "members" in environment.facts:
        raise UsageError("A comparison needs a single Gymnasium environment; trainers make vectors of it themselves.")
    for name, space in (("observations", environment.observation), ("actions", environment.action)):
        if not space.size:
            raise UsageError(f"A comparison needs {name} that are arrays of numbers or choices; these are not.")


def _play(environment: Environment) -> RandomPlay:
    choose, flat = _RandomActions(environment.action), make_flattener(environment.observation)
    kept: list[Array] = []
    returns: list[float] = []
    stride, steps = 1, 0
    observation, info = environment.reset(seed=SEED)
    total = 0.0
    while not _enough(steps, len(returns)):
        if steps % stride == 0:
            kept.append(np.array(flat(observation), float))
            if len(kept) == 2 * KEPT:
                kept, stride = kept[::2], 2 * stride
        observation, reward, terminated, truncated, info = environment.step(choose(info))
        total, steps = total + float(reward), steps + 1
        if terminated or truncated:
            returns.append(total)
            total = 0.0
            observation, info = environment.reset()
    rows = np.array(kept)
    return RandomPlay(
        rows[np.linspace(0, len(rows) - 1, min(KEPT, len(rows))).astype(int)], tuple(returns), choose.told
    )


def _enough(steps: int, episodes: int) -> bool:
    if steps >= ENOUGH_STEPS:
        return episodes >= FEWEST_EPISODES or steps >= MOST_STEPS
    return episodes >= RANDOM_EPISODES and steps >= KEPT


class _RandomActions:
    """Random actions, of those that a mask allows where the environment gives one."""

    def __init__(self, space: Space) -> None:
        self._space, self._rng = space, np.random.default_rng(SEED)
        self._waiting: list[Any] = []
        low, high = find_bounds(space)
        widths = np.where(np.isfinite(high - low), high - low, 0.0)
        discrete = all(column.kind in ("category", "binary") for column in space.columns)
        self.told = ActionLayout(discrete=discrete, widths=tuple(widths.tolist()))

    def __call__(self, info: object) -> Any:
        mask = info.get("action_mask") if hasattr(info, "get") else None
        if mask is not None and self._space.kind == "discrete" and np.any(mask):
            return np.int64(self._rng.choice(np.flatnonzero(mask)) + self._space.first[0])
        if not self._waiting:
            self._waiting = unflatten_rows(self._space, sample_space(self._space, DRAWN, self._rng))
        return self._waiting.pop()
