"""An environment made for reading updates, without a framework: no two observations, rewards or episodes are alike.

Every row of a minibatch is found again by its observation, and the numbers of any estimator follow from rows that
differ in everything: rewards of both signs, episodes of one step and of many, real ends and time limits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from weaklink.adapters.described import describe_space
from weaklink.base.evidence.spaces import Space

COLUMNS = 4
CHOICES, DIMENSIONS = 3, 2
"""With three choices a gradient tells which one was scored; with two dimensions, whether they were added up."""

REACH = 5.0
"""Bounds of continuous actions: a usual spread of 1 or less hardly ever reaches them, and a clipped action tells less
than a free one."""

NOISE = 0.3
LONGEST = 40
"""Steps of the longest episode. Lengths are drawn evenly by their logarithm, so that short ones are frequent and a
rollout of any usual length has episodes that go on beyond it."""

_made = itertools.count()

HearStep = Callable[[bool], object]
"""Told of each step before it is made, and whether it goes on from an end that nobody reset."""


def make_own_spaces(*, continuous: bool) -> tuple[Space, Space]:
    """What it shows and takes where it has nobody's place."""
    seen, done = np.ones(COLUMNS), np.full(DIMENSIONS, REACH)
    numbers = Space(kind="box", shape=(DIMENSIONS,), dtype="float32", low=-done, high=done)
    choices = Space(kind="discrete", dtype="int64", choices=(CHOICES,), first=(0,))
    return (
        Space(kind="box", shape=(COLUMNS,), dtype="float32", low=-seen, high=seen),
        numbers if continuous else choices,
    )


def can_show(observation: Space, action: Space) -> bool:
    """Whether observations can be drawn between -1 and 1, one unlike the other, and actions are choices or numbers."""
    boxed = observation.kind == "box" and bool(observation.shape) and np.dtype(observation.dtype).kind == "f"
    return boxed and action.kind in ("box", "discrete")


def make_read_play(
    *, continuous: bool, on_step: HearStep | None = None, spaces: tuple[Any, Any] | None = None
) -> tuple[ReadPlay, tuple[Any, Any] | None]:
    """One play, and the spaces of a library where it takes their place: none where it has its own.

    Args:
        continuous: whether actions of its own are numbers instead of choices.
        on_step: hears each step.
        spaces: those of the environment whose place it takes.
    """
    if spaces is not None and can_show(*map(describe_space, spaces)):
        return ReadPlay((describe_space(spaces[0]), describe_space(spaces[1])), on_step), spaces
    return ReadPlay(make_own_spaces(continuous=continuous), on_step), None


class ReadPlay:
    """Plays an environment whose every row is its own.

    Args:
        spaces: what it shows and takes.
        on_step: hears each step.
    """

    def __init__(self, spaces: tuple[Space, Space], on_step: HearStep | None = None) -> None:
        self.observation, self.action = spaces
        self._on_step = on_step
        # members that a trainer gives one seed must not show the same
        self._member = next(_made)
        self._rng = np.random.default_rng()
        self._seen = np.zeros(self.observation.shape, self.observation.dtype)
        self._left, self._cut = 1, False

    def seed(self, seed: int) -> None:
        """Begins anew with this seed."""
        self._rng = np.random.default_rng([seed, self._member])

    def reset(self) -> tuple[Any, dict[str, Any]]:
        """Begins an episode of a random length, which ends for real or by a time limit."""
        self._left = int(math.exp(self._rng.uniform(0.0, math.log(LONGEST + 1))))
        self._cut = bool(self._rng.random() < 0.5)
        return self._look(), {}

    def _look(self) -> Any:
        self._seen = np.asarray(self._rng.uniform(-1.0, 1.0, self._seen.shape), self._seen.dtype)
        return self._seen.copy()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step; the reward depends on the observation, the action and chance."""
        if self._on_step is not None:
            self._on_step(self._left <= 0)
        reward = self._pay(action) + float(self._rng.normal(0.0, NOISE))
        self._left -= 1
        over = self._left <= 0
        return self._look(), reward, over and not self._cut, over and self._cut, {}

    def mask(self) -> Any:
        """Every choice is allowed."""
        return np.ones(self.action.choices, bool)

    def close(self) -> None:
        """Nothing is held."""

    def _pay(self, action: Any) -> float:
        columns = self._seen.reshape(-1)
        if self.action.kind == "discrete":
            return float(columns[(int(np.asarray(action).reshape(-1)[0]) - self.action.first[0]) % len(columns)])
        scale = np.asarray(self.action.high, np.float64).reshape(-1)
        scale = np.maximum(np.abs(np.where(np.isfinite(scale), scale, REACH)), 1e-9)
        done = (np.asarray(action, np.float64).reshape(-1) / scale)[: len(columns)]
        return float(0.5 - np.abs(done - columns[: len(done)]).mean())
