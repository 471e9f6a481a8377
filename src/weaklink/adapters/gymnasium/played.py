"""The episodes of environments as whoever steps them sees them, and which of them are played for training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from weaklink.adapters.gymnasium.autoreset import NEXT_STEP, read_autoreset
from weaklink.adapters.gymnasium.heard import refer_to

PARTS_OF_A_STEP = 5


class Episode(NamedTuple):
    """One that was played to its end, with its last reward."""

    total: float
    length: int
    last: float


class PlayedEnvironment:
    """One environment or vector: the episodes under way in it.

    `learns` says that it is seen to be one that is trained in: it was left in the middle of an episode for an update
    or for another environment. Whoever evaluates plays one episode after the other without either. `turns` counts how
    often an update came right after it: a loop that learns from whole episodes is known by nothing else. `past_ends`
    counts steps that a time limit cut although it had cut the step before: nobody reset the environment, and what goes
    on there is no episode.
    """

    def __init__(self, env: Any, *, vector: bool) -> None:
        self.reference, self._vector = refer_to(env), vector
        self.members = int(getattr(env, "num_envs", 1)) if vector else 1
        self.learns, self.updates, self.turns, self.past_ends = False, 0, 0, 0
        self.name = str(getattr(getattr(env, "spec", None), "id", None) or "")
        self._resets_late = vector and read_autoreset(env) == NEXT_STEP
        self.begin()

    def begin(self) -> None:
        """Begins anew; what was not played to its end is forgotten."""
        self._totals, self._lengths = np.zeros(self.members), np.zeros(self.members, np.int64)
        self._fillers = np.zeros(self.members, bool)
        self._total, self._length = 0.0, 0
        self._cut = False

    @property
    def is_under_way(self) -> bool:
        """Whether it is in the middle of an episode."""
        return self._length > 0 or (self._vector and bool(self._lengths.any()))

    def add(self, result: Any) -> Sequence[Episode]:
        """Takes the result of one step; gives the episodes that it ended."""
        if type(result) is not tuple or len(result) != PARTS_OF_A_STEP:
            return ()
        _, reward, terminated, truncated, _ = result
        if self._vector:
            return list(self._add_members(reward, terminated, truncated))
        paid = reward if isinstance(reward, float | int) else float(np.asarray(reward).item())
        self._total += paid
        self._length += 1
        if not (terminated or truncated):
            self._cut = False
            return ()
        if self._cut and truncated:
            self.past_ends += 1
            self._total, self._length = 0.0, 0
            return ()
        self._cut = bool(truncated)
        ended = Episode(float(self._total), self._length, float(paid))
        self._total, self._length = 0.0, 0
        return (ended,)

    def _add_members(self, reward: Any, terminated: Any, truncated: Any) -> Iterator[Episode]:
        live = ~self._fillers  # a step that only resets a member is none of its episode
        paid = np.asarray(reward, np.float64).reshape(-1)
        self._totals += paid * live
        self._lengths += live
        ended = (np.asarray(terminated, bool) | np.asarray(truncated, bool)).reshape(-1)
        for member in np.flatnonzero(ended & live):
            yield Episode(float(self._totals[member]), int(self._lengths[member]), float(paid[member]))
        over = ended | self._fillers
        self._totals[over], self._lengths[over] = 0.0, 0
        self._fillers = ended & live if self._resets_late else self._fillers


class Playground:
    """All environments that a script steps, and what is played in which of them."""

    def __init__(self) -> None:
        self._played: dict[int, PlayedEnvironment] = {}
        self._main: PlayedEnvironment | None = None
        self._last: PlayedEnvironment | None = None
        self._learned, self._updates = False, 0

    def find(self, env: Any, *, vector: bool) -> PlayedEnvironment:
        """What is known of an environment."""
        played = self._played.get(id(env))
        if played is None or played.reference() is not env:
            played = self._played[id(env)] = PlayedEnvironment(env, vector=vector)
        return played

    def step(self, env: Any, updates: int, *, vector: bool) -> PlayedEnvironment:
        """The environment that is stepped now, after so many updates of a network."""
        played = self.find(env, vector=vector)
        self._main = self._main or played
        if (self._last is not played or played.updates != updates) and played.is_under_way:
            played.learns = self._learned = True
        self.learn(updates)
        self._last, played.updates = played, updates
        return played

    def learn(self, updates: int) -> None:
        """Counts the turn of the environment that was played last, where an update has come since."""
        if self._last is not None and self._main is not None and updates != self._updates:
            self._updates = updates
            self._last.turns += 1
            self._main = max(self._main, self._last, key=lambda each: each.turns)

    def teach(self, places: frozenset[int]) -> None:
        """Takes note of the environments whose steps are seen to be learned from, by their identity."""
        for place in places & self._played.keys():
            self._played[place].learns = self._learned = True

    def count_past_ends(self) -> int:
        """Steps past a time limit, in all environments that are played for training."""
        return sum(each.past_ends for each in self._played.values() if self.is_training(each))

    def is_training(self, played: PlayedEnvironment) -> bool:
        """Whether it is played for training: that with most updates after it, as long as none is seen to be."""
        return played.learns or (not self._learned and played is self._main)
