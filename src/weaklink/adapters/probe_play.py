"""A probe being played, without a framework: Gymnasium's and old gym's environments are made of it."""

from __future__ import annotations

import itertools
from typing import Any, Protocol

import numpy as np

from weaklink.base.evidence.spaces import Space

MEMBERS = 4
CONTINUOUS, MASKED = "continuous", "masked"
_made = itertools.count()


class StepKeeper(Protocol):
    """Takes one row for each step, and counts episodes."""

    def add(self, row: tuple[float, ...]) -> None:
        """Keeps it."""

    def count_reset(self) -> None:
        """Counts the beginning of an episode."""

    def flush(self) -> None:
        """Writes what is still held."""


class Play(Protocol):
    """An environment that is played, whichever library shows it."""

    observation: Space
    action: Space

    def seed(self, seed: int) -> None:
        """Begins anew with this seed."""

    def reset(self) -> tuple[Any, dict[str, Any]]:
        """Begins an episode: what is seen, and what else is told."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step, as Gymnasium's environments do."""

    def close(self) -> None:
        """Writes what is still held."""


class ProbePlay:
    """Plays a probe. Each step is told to a recorder where there is one."""

    def __init__(self, probe: Any, recorder: StepKeeper | None = None) -> None:
        self.probe = probe
        self.observation: Space = probe.observation
        self.action: Space = probe.action
        self.recorder = recorder
        self._world = probe.world
        self._member = next(_made) % MEMBERS
        self._rng = np.random.default_rng()
        self.state = 0
        self._shown: int | None = None

    def seed(self, seed: int) -> None:
        """Begins anew with this seed, which also decides which member of a vector this is."""
        self._rng = np.random.default_rng(seed)
        self._member = seed % MEMBERS
        self._shown = None

    def reset(self) -> tuple[Any, dict[str, Any]]:
        """Begins an episode: what is seen, and what else is told."""
        if self.recorder is not None:
            self.recorder.count_reset()
        self.state = self._start()
        return self.probe.shown(self.state), self._info()

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
        """Takes one step, as Gymnasium's environments do."""
        action = self.probe.translate(action)
        ways = self.probe.ways(self.state, action)
        way = ways[0] if len(ways) == 1 else ways[self._drawn([(way.chance, at) for at, way in enumerate(ways)])]
        if self.recorder is not None:
            self.recorder.add(self._row(action, way.ends))
        self.state = way.to
        self._shown = way.to if way.ends else self._shown
        return self.probe.shown(way.to), way.reward, way.terminated, way.truncated, self._info()

    def _row(self, action: Any, ends: bool) -> tuple[float, ...]:
        probe, state = self.probe, self.state
        if probe.acts == CONTINUOUS:
            number = float(np.asarray(action).reshape(-1)[0])
            low, high = self._world.bounds
            return state, probe.share_right(state, action), number, 1.0, float(low < number < high), float(ends)
        choice, mask = probe.choice(action), self.mask()
        allowed = 0 <= choice < len(mask) and bool(mask[choice])
        return state, probe.share_right(state, action), float(choice), float(allowed), 1.0, float(ends)

    def mask(self) -> Any:
        """Which actions are allowed now."""
        return self.probe.mask(self.state)

    def close(self) -> None:
        """Writes what the recorder still holds."""
        if self.recorder is not None:
            self.recorder.flush()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.mask().astype(np.int8)} if self.probe.acts == MASKED else {}


def make_space(space: Space, spaces: Any) -> Any:
    """The space that a description stands for, of the `spaces` of Gymnasium or of old gym."""
    if space.kind == "dict":
        return spaces.Dict({key: make_space(part, spaces) for key, part in space.parts.items()})
    if space.kind == "discrete":
        return spaces.Discrete(space.choices[0])
    if space.kind == "multi_discrete":
        return spaces.MultiDiscrete(list(space.choices))
    dtype = np.dtype(space.dtype).type
    low, high = (np.asarray(bound, dtype).reshape(space.shape) for bound in (space.low, space.high))
    return spaces.Box(low, high, space.shape, dtype)
