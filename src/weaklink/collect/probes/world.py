"""A probe's problem: a few states, what each looks like, what follows from each choice, and which choices are right.

Everything else is worked out from that: the environment that plays it, the exact values, what each known mistake would
learn instead, and the questions that the trained agent is asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.reference.backups import MISTAKES, ProblemRows, right

ENOUGH_ROUNDS = 200
RARE = 1e-6


class Transition(NamedTuple):
    """One thing that may follow from a choice. At an end `to` is the state that the last observation looks like."""

    chance: float
    to: int
    reward: float
    terminated: bool = False
    truncated: bool = False

    @property
    def ends(self) -> bool:
        """Whether the episode is over."""
        return self.terminated or self.truncated


class World(ABC):
    """A problem. Subclasses give the states and the law; `looks` has one row of numbers for each state.

    Class attributes say what the rung is: its `name`, which its rule has too, `adds` the component that it adds to the
    rungs before it, and which questions are `asked`: values, q-values, actions.
    """

    name: ClassVar[str]
    adds: ClassVar[str]
    asked: ClassVar[tuple[str, ...]] = ("value",)
    looks: ClassVar[tuple[tuple[float, ...], ...]]
    labels: ClassVar[tuple[str, ...]]
    starts: ClassVar[tuple[int, ...]] = (0,)
    choices: ClassVar[int] = 1
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    tolerance: ClassVar[float] = 0.1
    told_apart_by: ClassVar[tuple[str, ...]] = ()
    """Higher rungs that are climbed all the same when this one breaks, because they tell its causes apart."""

    stands_alone: ClassVar[bool] = False
    """Whether no rung above needs what this one adds: the climb goes on where it breaks."""

    read_too: ClassVar[bool] = False
    """Whether an update that is read answers it as well: what targets are made of, and that a critic is moved there."""

    effort: ClassVar[float] = 1.0
    """How many times the usual budget a right trainer needs."""

    @abstractmethod
    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        """What may follow from a choice: a number from 0 for choices, a float for continuous actions."""

    def right(self, state: int) -> tuple[Any, ...]:
        """The choices that are right; none where it does not matter."""
        return ()

    def restart(self, last: int | None) -> tuple[tuple[float, int], ...]:
        """With which chance the next episode starts where, given what the last observation looked like."""
        return tuple((1.0 / len(self.starts), start) for start in self.starts)

    def first(self, member: int) -> tuple[tuple[float, int], ...]:
        """With which chance the first episode of one member of a vector starts where."""
        return self.restart(None)

    def oracle(self, state: int) -> Any:
        """A right choice."""
        options = self.right(state)
        return options[0] if options else 0

    @cached_property
    def states(self) -> int:
        """How many there are."""
        return len(self.looks)

    @cached_property
    def kinds(self) -> Array:
        """For each state the number of its look; states that look the same share one."""
        seen: dict[tuple[float, ...], int] = {}
        return np.array([seen.setdefault(look, len(seen)) for look in self.looks])

    def paths(self) -> dict[int, tuple[int, ...]]:
        """For each state that can be reached, the shortest way there from a start, itself not included."""
        found: dict[int, tuple[int, ...]] = dict.fromkeys(self.starts, ())
        waiting = list(self.starts)
        while waiting:
            state = waiting.pop(0)
            for choice in self._tried(state):
                for way in self.law(state, choice):
                    if not way.ends and way.to not in found:
                        found[way.to] = (*found[state], state)
                        waiting.append(way.to)
        return found

    def _tried(self, state: int) -> Iterable[Any]:
        return (*self.right(state), *range(self.choices))

    def rows(self, *, remembers: bool = False) -> ProblemRows:
        """The problem as rows under its right policy; who remembers can tell states apart that look the same."""
        made = [
            (state, way, chance, then)
            for state in range(self.states)
            for way in self.law(state, self.oracle(state))
            for chance, then in (self.restart(way.to) if way.ends else ((1.0, way.to),))
        ]
        source = np.array([state for state, *_ in made])
        then = np.array([state for *_, state in made])
        chance = np.array([way.chance * chance for _, way, chance, _ in made])
        reward = np.array([way.reward for _, way, *_ in made])
        visits = self._visits(source, chance, then)
        weight = visits[source] * chance
        earlier = np.bincount(then, weight * reward, self.states) / np.maximum(visits, 1e-12)
        mean_reward = np.bincount(source, chance * reward, self.states)
        kinds = np.arange(self.states) if remembers else self.kinds
        return ProblemRows(
            seen=kinds[source],
            weight=weight,
            reward=reward,
            following=kinds[[way.to for _, way, *_ in made]],
            restarted=kinds[then],
            terminated=np.array([way.terminated for _, way, *_ in made]),
            truncated=np.array([way.truncated for _, way, *_ in made]),
            earlier=earlier[source],
            later=mean_reward[then],
            looks=int(kinds.max()) + 1,
        )

    def _visits(self, source: Array, chance: Array, then: Array) -> Array:
        """How often each state is visited in the long run."""
        visits = np.full(self.states, 1.0 / self.states)
        for _ in range(ENOUGH_ROUNDS):
            # half a step at a time: problems that take turns would swing for ever
            visits = 0.5 * visits + 0.5 * np.bincount(then, visits[source] * chance, self.states)
        return np.asarray(visits / visits.sum())

    @cached_property
    def visited(self) -> tuple[int, ...]:
        """The states that a right agent comes to."""
        rows = self.rows(remembers=True)
        seen = np.bincount(rows.seen, rows.weight, self.states)
        return tuple(int(state) for state in np.flatnonzero(seen > RARE))

    @cached_property
    def goes_on(self) -> bool:
        """Whether an episode may have several steps, so that a value has the next one in it."""
        return any(not way.ends for state in self.visited for way in self.law(state, 0))

    @cache  # noqa: B019  the problems live as long as the program
    def values(self, gamma: float, *, remembers: bool = False) -> tuple[Array, dict[str, Array]]:
        """For each state its right value, and that of each known mistake."""
        rows = self.rows(remembers=remembers)
        place = np.arange(self.states) if remembers else self.kinds
        wrong = {name: mistake.values(rows, gamma)[place] for name, mistake in MISTAKES.items()}
        return right(rows, gamma)[place], wrong

    def band(self, state: int, value: float, gamma: float) -> tuple[float, float]:
        """Between which limits a measured value is right."""
        return value - self.tolerance, value + self.tolerance
