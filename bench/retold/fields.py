"""The same rows under other names, at another depth."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
Rows = list[Row]

WORDS = {
    "prompt": "asked", "question": "asked", "query": "asked", "instruction": "asked", "problem": "asked",
    "input": "asked", "task": "asked", "completion": "written", "response": "written", "output": "written",
    "generation": "written", "text": "written", "reward": "payoff", "score": "payoff", "rewards": "payoffs",
    "step": "tick", "steps": "moves", "iteration": "tick", "epoch": "tick", "global": "overall", "group": "bundle",
    "advantage": "edge", "answer": "truth", "target": "truth", "reference": "truth", "label": "truth",
    "messages": "exchange", "conversation": "exchange", "trajectory": "exchange", "tools": "abilities",
    "length": "size", "tokens": "pieces", "id": "key", "completions": "writings", "responses": "writings",
    "chosen": "better", "rejected": "worse", "success": "achieved", "correct": "right", "gold": "real",
}  # fmt: skip
"""Words of names, and others that say as much and stand in no list of weaklink's."""


def rename_sensibly(rows: Rows, rng: random.Random) -> Rows:
    """Every name by other words that mean the same."""
    return _rename(rows, lambda name, _: "_".join(WORDS.get(word, word) for word in name.split("_")))


def rename_meaninglessly(rows: Rows, rng: random.Random) -> Rows:
    """Every name by a number."""
    return _rename(rows, lambda _, place: f"f{place}")


def _rename(rows: Rows, name_anew: Callable[[str, int], str]) -> Rows:
    names = dict.fromkeys(name for row in rows for name in row)
    anew = {name: name_anew(name, place) for place, name in enumerate(names)}
    if len(set(anew.values())) < len(anew):
        anew = {name: f"{other}_{place}" for place, (name, other) in enumerate(anew.items())}
    return [{anew[name]: value for name, value in row.items()} for row in rows]


def nest(rows: Rows, rng: random.Random) -> Rows:
    """Everything one object deeper."""
    return [{"record": row} for row in rows]


def nest_by_kind(rows: Rows, rng: random.Random) -> Rows:
    """Texts and lists in one object, numbers in another."""
    return [
        {
            "content": {name: value for name, value in row.items() if isinstance(value, str | list | dict)},
            "stats": {name: value for name, value in row.items() if not isinstance(value, str | list | dict)},
        }
        for row in rows
    ]


def flatten(rows: Rows, rng: random.Random) -> Rows:
    """Objects of numbers or texts beside the other fields, their names joined by a dot."""
    return [dict(part for name, value in row.items() for part in _list_parts(name, value)) for row in rows]


def _list_parts(name: str, value: object) -> list[tuple[str, Any]]:
    if isinstance(value, dict) and all(not isinstance(inner, dict | list) for inner in value.values()):
        return [(f"{name}.{inner}", one) for inner, one in value.items()]
    return [(name, value)]
