"""The map of a small world: its states in the order in which they were found, and what each action does there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple


class MappedStep(NamedTuple):
    """Where an action leads: the state, None at an end, what it pays, and whether that is a success."""

    following: int | None
    paid: float
    success: bool
    terminated: bool


class WorldMap:
    """The states of one start and what each action does there; states are numbered as they are found.

    `holds` says that no action that was taken again led elsewhere, `going_on` how many actions that were tried ended
    nothing.
    """

    def __init__(self, actions: list[Any], limit: float) -> None:
        self.actions = actions
        self.limit = limit
        self.numbers: dict[bytes, int] = {}
        self.steps: list[dict[int, MappedStep]] = []
        self.going_on = 0
        self.holds = True

    def number(self, seen: bytes) -> int:
        """The number of what is seen."""
        if seen not in self.numbers:
            self.numbers[seen] = len(self.steps)
            self.steps.append({})
        return self.numbers[seen]

    def note(self, state: int, action: int, step: MappedStep) -> bool:
        """Keeps where an action led this time; whether that is where it led before."""
        before = self.steps[state].get(action)
        self.steps[state][action] = step
        self.going_on += (step.following is not None) - (before is not None and before.following is not None)
        same = before is None or before == step
        self.holds &= same
        return same

    def measure_returns(self) -> float:
        """The share of the actions tried, those apart that ended an episode, that led to a state seen before."""
        return 1.0 - (len(self.steps) - 1) / max(self.going_on, 1)

    def find_untried(self, state: int) -> int | None:
        """An action that was not tried there yet."""
        known = self.steps[state]
        if len(known) == len(self.actions):
            return None
        return next(action for action in range(len(self.actions)) if action not in known)

    def find_way(self, state: int) -> list[int] | None:
        """The shortest known way to a state with an action that was not tried, as actions; None where there is none."""
        found = self._search(state, lambda here: len(self.steps[here]) < len(self.actions))
        return None if found is None else found[1]

    def find_prizes(self) -> dict[tuple[int, int], MappedStep]:
        """The actions, by their states, that are a success or an end that pays more than any step on the way does."""
        usual = max((step.paid for steps in self.steps for step in steps.values() if not step.terminated), default=0.0)
        return {
            (state, action): step
            for state, steps in enumerate(self.steps)
            for action, step in steps.items()
            if step.success or (step.terminated and step.paid > max(usual, 0.0))
        }

    def find_prized_way(self) -> list[int] | None:
        """The actions of a shortest way from the start to a prize, the one that gets it included."""
        found = self._search(0, (prized := dict(self.find_prizes().keys())).__contains__)
        return None if found is None else [*found[1], prized[found[0]]]

    def _search(self, state: int, is_wanted: Callable[[int], bool]) -> tuple[int, list[int]] | None:
        """The nearest state of a kind, and the actions that lead there."""
        came: dict[int, tuple[int, int]] = {state: (-1, -1)}
        waiting = deque([state])
        while waiting:
            here = waiting.popleft()
            if is_wanted(here):
                return here, _follow_back(came, here)
            for action, step in self.steps[here].items():
                if step.following is not None and step.following not in came:
                    came[step.following] = (here, action)
                    waiting.append(step.following)
        return None

    def measure_distances(self) -> dict[int, int]:
        """The fewest steps from the start to each state."""
        distances = {0: 0}
        waiting = deque([0])
        while waiting:
            here = waiting.popleft()
            for step in self.steps[here].values():
                if step.following is not None and step.following not in distances:
                    distances[step.following] = distances[here] + 1
                    waiting.append(step.following)
        return distances


def _follow_back(came: dict[int, tuple[int, int]], here: int) -> list[int]:
    """The actions that lead from where a search began to here."""
    way: list[int] = []
    while came[here][1] >= 0:
        here, action = came[here]
        way.append(action)
    return way[::-1]
