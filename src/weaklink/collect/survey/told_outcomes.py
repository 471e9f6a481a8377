"""Who has won, where an info tells it in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

WON = "won"
"""The key of the metric that the words become: 1 where the agent has won, 0 where another has."""

TOLD_BY = frozenset({"winner", "result", "outcome"})
OWN = frozenset({"agent", "self", "me", "learner", "player", "win", "wins", "won", "victory", "success"})
OTHERS = frozenset(
    {
        "other",
        "opponent",
        "enemy",
        "adversary",
        "computer",
        "dealer",
        "house",
        "loss",
        "lose",
        "lost",
        "defeat",
        "failure",
    }
)
"""Words with one meaning only; a draw, a colour or the name of a player say nothing of who the agent is."""


def find_outcome_key(info: Mapping[str, Any]) -> str | None:
    """The key under which an info says in one of these words who has won."""
    return next((key for key, value in info.items() if key in TOLD_BY and not math.isnan(read_outcome(value))), None)


def read_outcome(told: object) -> float:
    """1 where the agent has won, 0 where another has, NaN where that is not said."""
    word = told.strip().lower() if isinstance(told, str) else ""
    return 1.0 if word in OWN else 0.0 if word in OTHERS else math.nan
