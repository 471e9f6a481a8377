"""Numbers and outcomes that a file spells as texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from weaklink.collect.readers.samples.names import BODIES, TEXTS, find_field
from weaklink.collect.readers.samples.numbers import OUTCOMES

FEWEST_ROWS = 8
"""Rows from which on a column of texts is known to spell numbers."""
MOST_WORDS = 8
"""Words that verdicts use: more of them are answers."""
_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,30})?|\.\d{1,30})(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_TEXTS = frozenset((*TEXTS, *BODIES, "prompt", "rejected"))
"""Fields that are texts even where they look like numbers."""


def find_spelled(rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The columns of texts all of which are numbers, unless their names say that they are texts."""
    if len(rows) < FEWEST_ROWS:
        return frozenset()
    texts = {name for name, value in rows[0].items() if isinstance(value, str) and find_field(name) not in _TEXTS}
    return frozenset(name for name in texts if _are_numbers(row.get(name) for row in rows))


def spell_out(row: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The row with the numbers that these columns spell."""
    numbers = {name: _parse(row[name]) for name in names if isinstance(row.get(name), str)}
    return {**row, **numbers}


def find_verdict(rows: Sequence[Mapping[str, Any]]) -> str:
    """The column of words that say how each row ended, well in some and badly in others; empty where scores say it.

    A verdict that is the reward in every row is the word of whoever paid, and tells nothing of what is right.
    """
    fields = {name: find_field(name) for row in rows for name in row if isinstance(name, str)}
    if len(rows) < FEWEST_ROWS or "gold" in fields.values():
        return ""
    paid = [row.get(name) for name in fields if fields[name] == "reward" for row in rows][: len(rows)]
    names = (name for name, field in fields.items() if field is None)
    return next((name for name in names if _tells_outcome([row.get(name) for row in rows], paid)), "")


def spell_verdict(row: dict[str, Any], name: str) -> dict[str, Any]:
    """The row with its verdict as a true outcome: what is no word for success, such as a timeout, is none."""
    return row if row.get(name) is None else {**row, "gold": _judge_word(row[name])}


def _tells_outcome(column: Sequence[Any], paid: Sequence[Any]) -> bool:
    """Whether a column has few words, for success and for failure, and is not what was paid."""
    words = {value.strip().lower() for value in column if isinstance(value, str)}
    told = {OUTCOMES[word] for word in words if word in OUTCOMES}
    if len(told) < 2 or len(words) > MOST_WORDS or not all(isinstance(value, str) for value in column):
        return False
    pairs = {(_judge_word(value), reward) for value, reward in zip(column, paid, strict=False)}
    return not paid or len(pairs) > len({judged for judged, _ in pairs})


def _judge_word(value: str) -> float:
    return OUTCOMES.get(value.strip().lower(), 0.0)


def _are_numbers(values: Iterable[Any]) -> bool:
    told = [value for value in values if value is not None]
    return bool(told) and all(isinstance(value, str) and _NUMBER.fullmatch(value.strip()) for value in told)


def _parse(text: str) -> float | int | str:
    if not _NUMBER.fullmatch(text.strip()):
        return text
    return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
