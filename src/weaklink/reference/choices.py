"""The exact value of every action in a small known problem, and what known mistakes would learn instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Law = Callable[[int, int], Sequence[Any]]
"""From a state and a choice to ways: chance, to, reward, terminated, truncated."""

ROUNDS = 300
LARGEST = 1e4


def action_values(law: Law, states: int, choices: int, gamma: float) -> tuple[Array, dict[str, Array]]:
    """The right value of each action in each state, and those of each known mistake by its name."""
    ways = [[[*law(state, choice)] for choice in range(choices)] for state in range(states)]
    exact = _settled(ways, lambda way, state, best: way.reward + gamma * (not way.terminated) * best[way.to])
    mistakes = {
        "terminal ignored": lambda way, state, best: way.reward + gamma * best[way.to],
        "mask inverted": lambda way, state, best: way.reward + gamma * way.terminated * best[way.to],
        "only the immediate reward": lambda way, state, best: way.reward,
        "no discount": lambda way, state, best: way.reward + (not way.terminated) * best[way.to],
        "discounted twice": lambda way, state, best: way.reward + gamma**2 * (not way.terminated) * best[way.to],
        "its own value taken in": lambda way, state, best: way.reward + gamma * (not way.terminated) * best[state],
        "reward with the wrong sign": lambda way, state, best: (
            -way.reward + gamma * (not way.terminated) * best[way.to]
        ),
        "advantage for a target": lambda way, state, best: (
            0.5 * (way.reward + gamma * (not way.terminated) * best[way.to])
        ),
        "never learned": lambda way, state, best: 0.0,
    }
    return exact, {name: _settled(ways, target) for name, target in mistakes.items()}


def _settled(ways: list[list[list[Any]]], target: Callable[[Any, int, Array], float]) -> Array:
    values = np.zeros((len(ways), len(ways[0])))
    for _ in range(ROUNDS):
        best = values.max(axis=1)
        values = np.array(
            [
                [sum(way.chance * target(way, state, best) for way in after) for after in choices]
                for state, choices in enumerate(ways)
            ]
        )
        values = np.clip(values, -LARGEST, LARGEST)
    return values
