"""The exact value of every action in a small known problem, and what known mistakes would learn instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Law = Callable[[int, int], Sequence[Any]]
"""From a state and a choice to ways: chance, to, reward, terminated, truncated."""

Target = Callable[[Any, int, Array], float]
"""From a way, the state before it and what each state is worth to what its action learns."""

ROUNDS = 300
LARGEST = 1e4


def action_values(law: Law, states: int, choices: int, gamma: float) -> tuple[Array, dict[str, Array]]:
    """The right value of each action in each state, and those of each known mistake by its name."""
    ways = _list_ways(law, states, choices)
    exact = _settle(ways, _right(gamma))
    mistakes = {
        "terminal ignored": lambda way, state, best: way.reward + gamma * best[way.to],
        "mask inverted": lambda way, state, best: way.reward + gamma * way.terminated * best[way.to],
        "only the immediate reward": lambda way, state, best: way.reward,
        "no discount": lambda way, state, best: way.reward + (not way.terminated) * best[way.to],
        "discounted twice": lambda way, state, best: way.reward + gamma**2 * (not way.terminated) * best[way.to],
        "bootstraps from its own value": lambda way, state, best: (
            way.reward + gamma * (not way.terminated) * best[state]
        ),
        "reward with the wrong sign": lambda way, state, best: (
            -way.reward + gamma * (not way.terminated) * best[way.to]
        ),
        "advantage for a target": lambda way, state, best: (
            0.5 * (way.reward + gamma * (not way.terminated) * best[way.to])
        ),
        "never learned": lambda way, state, best: 0.0,
    }
    return exact, {name: _settle(ways, target) for name, target in mistakes.items()}


def explored_values(law: Law, states: int, choices: int, gamma: float, share: float) -> Array:
    """The value of each action where later ones are the best with this share, and else any of the others.

    Targets of the action that was taken learn it, and so do those over several steps without a correction.
    """
    ways = _list_ways(law, states, choices)
    chances = np.full((states, choices), (1.0 - share) / max(choices - 1, 1))
    chances[np.arange(states), _settle(ways, _right(gamma)).argmax(axis=1)] = share
    return _settle(ways, _right(gamma), lambda values: (chances * values).sum(axis=1))


def _list_ways(law: Law, states: int, choices: int) -> list[list[list[Any]]]:
    return [[[*law(state, choice)] for choice in range(choices)] for state in range(states)]


def _right(gamma: float) -> Target:
    return lambda way, state, worth: float(way.reward + gamma * (not way.terminated) * worth[way.to])


def _best(values: Array) -> Array:
    return np.asarray(values.max(axis=1))


def _settle(ways: list[list[list[Any]]], target: Target, worth: Callable[[Array], Array] = _best) -> Array:
    """The values that reproduce themselves; `worth` says what a state is worth, given those of its actions."""
    values = np.zeros((len(ways), len(ways[0])))
    for _ in range(ROUNDS):
        before, later = values, worth(values)
        values = np.array(
            [
                [sum(way.chance * target(way, state, later) for way in after) for after in choices]
                for state, choices in enumerate(ways)
            ]
        )
        values = np.clip(values, -LARGEST, LARGEST)
        if np.array_equal(values, before):  # and so in every further round
            break
    return values
