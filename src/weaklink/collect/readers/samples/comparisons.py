"""Comparisons of two answers by a judge: the winner is the chosen one, and the place that it was shown in is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SIDES = (
    ("response_a", "response_b"), ("answer_a", "answer_b"), ("completion_a", "completion_b"), ("output_a", "output_b"),
    ("response_1", "response_2"), ("answer_1", "answer_2"), ("completion_1", "completion_2"), ("output_1", "output_2"),
    ("response1", "response2"), ("answer1", "answer2"), ("output1", "output2"),
)  # fmt: skip
"""Names of the answer that is shown first and of the other."""

WINNERS = ("winner", "preference", "preferred", "verdict", "choice", "judgment", "judgement", "judge_choice", "better")
"""Names of the field that says which of them the judge prefers."""

FIRST = frozenset(("a", "1", "first", "response_a", "answer_a", "response_1", "answer_1", "model_a", "left"))
SECOND = frozenset(("b", "2", "second", "response_b", "answer_b", "response_2", "answer_2", "model_b", "right"))
"""What such a field says; anything else is a tie, or no verdict."""

FIRST_WON = "first_won"
"""The field of a pair that says whether the answer that was shown first was preferred."""


def is_comparison(row: Mapping[str, Any]) -> bool:
    """Whether a row has two answers side by side and says which of them was preferred."""
    return _find_sides(row) is not None and _find_winner(row) is not None


def arrange_comparison(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as a pair of a chosen and a rejected answer; as it is where neither was preferred."""
    sides, first = _find_sides(row), _find_winner(row)
    if sides is None or first is None:
        return dict(row)
    told = {name: value for name, value in row.items() if name not in sides}
    chosen, rejected = sides if first else sides[::-1]
    return {**told, "chosen": row[chosen], "rejected": row[rejected], FIRST_WON: first}


def _find_sides(row: Mapping[str, Any]) -> tuple[str, str] | None:
    return next((pair for pair in SIDES if all(isinstance(row.get(name), str) for name in pair)), None)


def _find_winner(row: Mapping[str, Any]) -> bool | None:
    """Whether the first one won; None where the row does not say, or both are even."""
    said = next((str(row[name]).strip().lower() for name in WINNERS if isinstance(row.get(name), str | int)), "")
    return True if said in FIRST else False if said in SECOND else None
