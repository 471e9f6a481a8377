"""A probe: a problem in one form, that is, how its states are shown and how its choices are made."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space
from weaklink.collect.probes.world import Transition, World

VECTOR, IMAGE, DICT = "vector", "image", "dict"
DISCRETE, CONTINUOUS, SEVERAL, MASKED = "discrete", "continuous", "several", "masked"

EDGE = 36
"""Pixels along an edge: the least that common image networks take."""

CLEARLY = 0.65
"""How far into its half of the range a continuous action must lie to count as a choice, from 0 to 1."""


class Probe:
    """One problem as an environment sees it, and as an agent is asked about it."""

    def __init__(self, world: World, *, seen: str = VECTOR, acts: str = DISCRETE, title: str = "") -> None:
        self.world = world
        self.seen = seen
        self.acts = acts
        self.title = title or type(world).__name__

    @property
    def id(self) -> str:
        """Under which Gymnasium makes it."""
        return f"weaklink/{self.title}-v0"

    @property
    def name(self) -> str:
        """The name of its rung."""
        return self.world.name

    def __repr__(self) -> str:
        return f"Probe({self.id!r})"

    @cached_property
    def observation(self) -> Space:
        """What can be seen."""
        if self.seen == IMAGE:
            low, high = np.zeros(EDGE * EDGE), np.full(EDGE * EDGE, 255.0)
            return Space(kind="box", shape=(EDGE, EDGE, 1), dtype="uint8", low=low, high=high)
        width = len(self.world.looks[0])
        vector = Space(kind="box", shape=(width,), dtype="float32", low=-np.ones(width), high=np.ones(width))
        return Space(kind="dict", parts={"cue": vector, "idle": vector}) if self.seen == DICT else vector

    @cached_property
    def action(self) -> Space:
        """What can be done."""
        if self.acts == CONTINUOUS:
            low, high = (np.array([float(bound)]) for bound in self.world.bounds)
            return Space(kind="box", shape=(1,), dtype="float32", low=low, high=high)
        if self.acts == SEVERAL:
            return Space(kind="multi_discrete", choices=(2, 2), first=(0, 0), dtype="int64")
        return Space(kind="discrete", choices=(self.world.choices,), first=(0,), dtype="int64")

    def shown(self, state: int) -> Any:
        """What a state looks like; a new array each time."""
        look = np.array(self.world.looks[state], np.float32)
        if self.seen == DICT:
            return {"cue": look, "idle": np.zeros_like(look)}
        return _draw_look(look) if self.seen == IMAGE else look

    def mask(self, state: int) -> Array:
        """Which actions are allowed."""
        allowed = getattr(self.world, "allowed", None)
        return np.ones(self.world.choices, bool) if allowed is None else np.array(allowed[state])

    def translate(self, action: object) -> object:
        """An action as the problem takes it; one in the form of a probe is that already."""
        return action

    def ways(self, state: int, action: object) -> tuple[Transition, ...]:
        """What may follow from an action in its native form."""
        if self.acts == CONTINUOUS:
            return self._leaned(state, float(np.asarray(action).reshape(-1)[0]))
        return self.world.law(state, self.choice(action))

    def choice(self, action: object) -> int:
        """The choice that an action stands for."""
        if isinstance(action, int | np.integer) and self.acts not in (SEVERAL, CONTINUOUS):
            return int(action)  # an environment is asked three times a step, and an array costs more than the rest
        if self.acts == SEVERAL:
            first, second = (int(part) for part in np.asarray(action).reshape(-1))
            return 2 * first + second
        if self.acts == CONTINUOUS:
            return int(self.lean(action) > 0.5)
        return int(np.asarray(action).reshape(-1)[0])

    def lean(self, action: object) -> float:
        """Where in its range a continuous action lies, from 0 to 1."""
        low, high = self.world.bounds
        where = (float(np.asarray(action).reshape(-1)[0]) - low) / (high - low)
        return min(max(where, 0.0), 1.0)

    def _leaned(self, state: int, action: float) -> tuple[Transition, ...]:
        """With continuous actions: the lower half of the range is the first choice, rewards change gradually."""
        world = self.world
        if world.choices < 2:
            low, high = world.bounds
            return world.law(state, min(max(action, low), high))
        lean = self.lean(action)
        lower, upper = world.law(state, 0), world.law(state, 1)
        if _differ_in_reward_only(lower, upper):
            return (lower[0]._replace(reward=(1.0 - lean) * lower[0].reward + lean * upper[0].reward),)
        return upper if lean > 0.5 else lower

    def share_right(self, state: int, action: object) -> float:
        """1 for a right action, 0 for a wrong one, NaN where none is right."""
        options = self.world.right(state)
        if not options:
            return np.nan
        if self.acts != CONTINUOUS:
            return float(self.choice(action) in options)
        if self.world.choices == 0:
            return float(self.distance(state, action) <= self.world.tolerance)
        if not _differ_in_reward_only(self.world.law(state, 0), self.world.law(state, 1)):
            return float(self.choice(action) in options)  # nothing is paid for leaning further
        lean = self.lean(action)
        return float(lean >= CLEARLY if options[0] == 1 else lean <= 1.0 - CLEARLY)

    def distance(self, state: int, action: object) -> float:
        """How far a continuous action is from the right one, where half of the range is 1."""
        low, high = self.world.bounds
        return 2.0 * abs(float(np.asarray(action).reshape(-1)[0]) - float(self.world.oracle(state))) / (high - low)

    def native(self, choice: Any) -> Any:
        """The action that stands for a choice."""
        if self.acts == CONTINUOUS:
            low, high = self.world.bounds
            where = float(choice) if self.world.choices == 0 else (high if choice else low)
            return np.array([where], np.float32)
        return np.array(divmod(choice, 2)) if self.acts == SEVERAL else np.int64(choice)


def _differ_in_reward_only(lower: tuple[Transition, ...], upper: tuple[Transition, ...]) -> bool:
    return len(lower) == len(upper) == 1 and lower[0]._replace(reward=0.0) == upper[0]._replace(reward=0.0)


def _draw_look(look: Any) -> Any:
    """A look as an image: one bright or dark band for each of its numbers, on a grey ground."""
    image = np.full((EDGE, EDGE, 1), 128, np.uint8)
    for place, rows in enumerate(np.array_split(np.arange(4, EDGE - 4), len(look))):
        image[rows, 4:-4, 0] = round(127.5 * (1.0 + float(look[place])))
    return image
