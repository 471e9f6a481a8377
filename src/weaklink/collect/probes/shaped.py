"""A probe in the shape of the user's environment: its spaces, with the problem's looks, choices and rewards."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space
from weaklink.collect.probes.probe import CONTINUOUS, DISCRETE, Probe

SMALLEST_RANGE = 0.5
"""A number with narrower bounds is left in their middle: a look squeezed into them could hardly be told apart."""

GREY = 0.5
USUAL = 4
"""Numbers that a vector has at the least where the environment is not known: as in CartPole. Many scripts squeeze the
axis of a single one away, and never meet it where they are used."""


def find_kind(action: Space) -> str:
    """The kind of action that a space asks for, as far as probes have it; empty for any other."""
    if action.kind == "box" and action.size:
        return CONTINUOUS
    return DISCRETE if action.kind == "discrete" else ""


def explain_misfit(observation: Space, action: Space) -> str:
    """Why no probe can have these spaces; empty where one can."""
    if not find_kind(action):
        return f"its actions are of the kind {action.kind}, and probes have discrete ones and boxes"
    if observation.kind not in ("box", "discrete") or not observation.size:
        return f"its observations are of the kind {observation.kind}, and probes have boxes and discrete ones"
    return ""


class ShapedProbe(Probe):
    """A probe that is seen and acted on through the spaces of another environment.

    Every choice of the problem belongs to several of that environment's actions, in turn; of a box of actions the
    first number counts, where it lies between its bounds. A look fills all numbers of an observation whose bounds
    leave room for it, bands of an image, or is the number of a discrete observation.
    """

    def __init__(self, probe: Probe, observation: Space, action: Space) -> None:
        super().__init__(probe.world, seen=probe.seen, acts=probe.acts, title=probe.title)
        self._observation, self._action = observation, action

    @cached_property
    def observation(self) -> Space:
        """What can be seen: as in the other environment."""
        return self._observation

    @cached_property
    def action(self) -> Space:
        """What can be done: as in the other environment."""
        return self._action

    def translate(self, action: object) -> object:
        """The action of the problem that one of the other environment stands for."""
        if self.acts != CONTINUOUS:
            chosen = int(np.asarray(action).reshape(-1)[0]) - self._action.first[0]
            return chosen % max(1, self.world.choices)
        number = float(np.asarray(action).reshape(-1)[0])
        low, high = self._bounds
        first, last = self.world.bounds
        return np.array([first + (number - low) / (high - low) * (last - first)], np.float32)

    @cached_property
    def _bounds(self) -> tuple[float, float]:
        """Of the first number of an action; without bounds those of a problem."""
        assert self._action.low is not None
        assert self._action.high is not None
        low, high = float(self._action.low[0]), float(self._action.high[0])
        return (low, high) if np.isfinite([low, high]).all() and low < high else (-1.0, 1.0)

    def shown(self, state: int) -> Any:
        """What a state looks like there; a new array each time."""
        space = self._observation
        if space.kind == "discrete":
            return int(space.first[0] + self.world.kinds[state] % space.choices[0])
        look = np.asarray(self.world.looks[state], float)
        dtype = np.dtype(space.dtype or "float32")
        if len(space.shape) > 1:
            part = _draw_bands(look, space.shape)
            low, high = self._edges
            filled = low + (high - low) * part.reshape(-1)
        else:
            filled = self._fill(look)
        return filled.reshape(space.shape).astype(dtype)

    def _fill(self, look: Array) -> Array:
        low, high = self._edges
        filled, places = (low + high) / 2.0, self._places
        wanted = look[np.arange(len(places)) % len(look)]
        filled[places] += (high - low)[places] / 2.0 * wanted
        return filled

    @property
    def room(self) -> tuple[int, int]:
        """How many numbers of a look a vector can show, and how many looks a discrete observation; 0 for any."""
        if self._observation.kind == "discrete":
            return 0, self._observation.choices[0]
        return (len(self._places) if len(self._observation.shape) == 1 else 0), 0

    @cached_property
    def _places(self) -> list[int]:
        """The numbers of a vector that a look is shown by: those with room for it, or all."""
        low, high = self._edges
        roomy = np.flatnonzero(high - low >= SMALLEST_RANGE).tolist()
        return roomy or list(range(len(low)))

    @cached_property
    def _edges(self) -> tuple[Array, Array]:
        """Between which each number lies: -1 and 1 where the bounds allow that, the bounds where they do not."""
        low, high = (np.asarray(bound, float).reshape(-1) for bound in (self._observation.low, self._observation.high))
        room = (low <= -1.0) & (high >= 1.0) & (len(self._observation.shape) == 1)
        finite = np.isfinite(low) & np.isfinite(high)
        first = np.where(room | ~finite, np.maximum(low, -1.0), low)
        last = np.where(room | ~finite, np.minimum(high, np.maximum(1.0, first + 1.0)), high)
        return first, last


def widen(probe: Probe) -> ShapedProbe:
    """The probe with an observation as wide as usual ones are."""
    width = max(USUAL, *map(len, probe.world.looks))
    seen = Space(kind="box", shape=(width,), dtype="float32", low=-np.ones(width), high=np.ones(width))
    return ShapedProbe(probe, seen, probe.action)


def _draw_bands(look: Array, shape: tuple[int, ...]) -> Array:
    """A look as a picture, from 0 to 1: one bright or dark band for each of its numbers."""
    axis = int(np.argmax(shape))
    picture = np.full(shape, GREY)
    for place, rows in enumerate(np.array_split(np.arange(shape[axis]), len(look))):
        chosen: list[Any] = [slice(None)] * len(shape)
        chosen[axis] = rows
        picture[tuple(chosen)] = GREY * (1.0 + look[place])
    return picture
