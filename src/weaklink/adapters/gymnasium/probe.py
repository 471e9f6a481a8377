"""A probe as a Gymnasium environment."""

from __future__ import annotations

import itertools
from typing import Any, Protocol

import gymnasium
import numpy as np

from weaklink.base.evidence.spaces import Space

MEMBERS = 4
_made = itertools.count()


class StepKeeper(Protocol):
    """Takes one row for each step."""

    def add(self, row: tuple[float, ...]) -> None:
        """Keeps it."""

    def flush(self) -> None:
        """Writes what is still held."""


class ProbeEnvironment(gymnasium.Env):  # type: ignore[misc]
    """Plays a probe. Each step is told to a recorder where there is one."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  Gymnasium's own

    def __init__(self, probe: Any, recorder: StepKeeper | None = None) -> None:
        self.probe = probe
        self.observation_space = make_gymnasium_space(probe.observation)
        self.action_space = make_gymnasium_space(probe.action)
        self._recorder = recorder
        self._world = probe.world
        self._member = next(_made) % MEMBERS
        self._rng = np.random.default_rng()
        self._state = 0
        self._shown: int | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; a seed also decides which member of a vector this is."""
        super().reset(seed=seed)
        if seed is not None:
            self._rng = np.random.default_rng(seed)
            self._member = seed % MEMBERS
            self._shown = None
        self._state = self._start()
        return self.probe.shown(self._state), self._info()

    def _start(self) -> int:
        options = self._world.first(self._member) if self._shown is None else self._world.restart(self._shown)
        return options[0][1] if len(options) == 1 else self._drawn(options)

    def _drawn(self, options: Any) -> int:
        point, total = self._rng.random(), 0.0
        for chance, thing in options:
            total += chance
            if point < total:
                return int(thing)
        return int(options[-1][1])

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step."""
        ways = self.probe.ways(self._state, action)
        way = ways[0] if len(ways) == 1 else ways[self._drawn([(way.chance, at) for at, way in enumerate(ways)])]
        if self._recorder is not None:
            self._recorder.add(self._row(action, way.ends))
        self._state = way.to
        self._shown = way.to if way.ends else self._shown
        return self.probe.shown(way.to), way.reward, way.terminated, way.truncated, self._info()

    def _row(self, action: Any, ends: bool) -> tuple[float, ...]:
        probe, state = self.probe, self._state
        if isinstance(self.action_space, gymnasium.spaces.Box):
            number = float(np.asarray(action).reshape(-1)[0])
            low, high = self._world.bounds
            return state, probe.share_right(state, action), number, 1.0, float(low < number < high), float(ends)
        choice, mask = probe.choice(action), probe.mask(state)
        allowed = 0 <= choice < len(mask) and bool(mask[choice])
        return state, probe.share_right(state, action), float(choice), float(allowed), 1.0, float(ends)

    def action_masks(self) -> Any:
        """Which actions are allowed now, as sb3-contrib asks for it."""
        return self.probe.mask(self._state)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.probe.mask(self._state).astype(np.int8)} if self.probe.acts == "masked" else {}

    def close(self) -> None:
        """Writes what the recorder still holds."""
        if self._recorder is not None:
            self._recorder.flush()


def make_gymnasium_space(space: Space) -> Any:
    """The Gymnasium space that a description stands for."""
    if space.kind == "dict":
        return gymnasium.spaces.Dict({key: make_gymnasium_space(part) for key, part in space.parts.items()})
    if space.kind == "discrete":
        return gymnasium.spaces.Discrete(space.choices[0])
    if space.kind == "multi_discrete":
        return gymnasium.spaces.MultiDiscrete(list(space.choices))
    dtype = np.dtype(space.dtype).type
    low, high = (np.asarray(bound, dtype).reshape(space.shape) for bound in (space.low, space.high))
    return gymnasium.spaces.Box(low, high, space.shape, dtype)
