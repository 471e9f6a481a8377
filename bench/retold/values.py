"""The same numbers and verdicts in another notation, another unit or from another start."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from weaklink.collect.readers.samples.names import find_component, find_field

Row = dict[str, Any]
Rows = list[Row]

CLOCKS = ("epoch", "batch", "round", "t")
PAID = ("reward", "rewards")
RESCALED = ("advantage", "kl")
"""What is worked out of a reward: with one of these a reward of another unit would be another fault."""


def spell_numbers(rows: Rows, rng: random.Random) -> Rows:
    """Numbers as texts."""
    return [{name: str(value) if _is_number(value) else value for name, value in row.items()} for row in rows]


def multiply_rewards(rows: Rows, rng: random.Random) -> Rows:
    """Rewards and all their components in tenths."""
    return _change_rewards(rows, lambda paid: 10.0 * paid, parts=True)


def shift_rewards(rows: Rows, rng: random.Random) -> Rows:
    """Five more for every completion, where none of it is in components."""
    return _change_rewards(rows, lambda paid: 5.0 + paid, parts=False)


def _change_rewards(rows: Rows, change: Callable[[float], float], *, parts: bool) -> Rows:
    names = {name for row in rows for name in row}
    fields = {name: find_field(name) for name in names}
    known = set(fields.values())
    composed = "rewards" in known or any(fields[name] is None and find_component(name) for name in names)
    if "reward" not in known or known.intersection(RESCALED) or (composed and not parts):
        return rows
    paid = {name for name in names if fields[name] in PAID or (fields[name] is None and find_component(name))}
    return [{name: _change(value, change) if name in paid else value for name, value in row.items()} for row in rows]


def _change(value: object, change: Callable[[float], float]) -> object:
    if isinstance(value, dict):
        return {name: _change(one, change) for name, one in value.items()}
    if isinstance(value, list):
        return [_change(one, change) for one in value]
    return change(float(value)) if isinstance(value, int | float) else value


def tell_verdicts_by_words(rows: Rows, rng: random.Random) -> Rows:
    """True and false as pass and fail."""
    return [
        {name: ("fail", "pass")[value] if isinstance(value, bool) else value for name, value in row.items()}
        for row in rows
    ]


def tell_verdicts_by_numbers(rows: Rows, rng: random.Random) -> Rows:
    """True and false as 1 and 0."""
    return [{name: int(value) if isinstance(value, bool) else value for name, value in row.items()} for row in rows]


def tell_outcomes_by_truth(rows: Rows, rng: random.Random) -> Rows:
    """Outcomes of 0 and 1 as true and false."""
    names = {name for row in rows for name in row if find_field(name) in ("gold", "success")}
    plain = {name for name in names if {row.get(name) for row in rows} <= {0, 1, None}}
    return [
        {name: bool(value) if name in plain and value is not None else value for name, value in row.items()}
        for row in rows
    ]


def count_steps_in_tens(rows: Rows, rng: random.Random) -> Rows:
    """Steps ten times as far apart."""
    return _change_steps(rows, lambda step: 10 * step)


def start_late(rows: Rows, rng: random.Random) -> Rows:
    """Steps from a thousand on."""
    return _change_steps(rows, lambda step: 1000 + step)


def _change_steps(rows: Rows, change: Callable[[float], float]) -> Rows:
    names = {name for row in rows for name in row}
    clocks = {name for name in names if name in CLOCKS or find_field(name) in ("step", "policy_version")}
    return [
        {name: change(value) if name in clocks and _is_number(value) else value for name, value in row.items()}
        for row in rows
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
