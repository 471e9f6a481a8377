"""The numbers of a row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from weaklink.collect.readers.samples.chat import describe_kind
from weaklink.collect.readers.samples.names import TOTALS


class FaultyRow(ValueError):
    """A row that is no sample; the message says what it must hold and what it holds."""


def parse_number(name: str, value: Any) -> float | None:
    """A number, or a verdict that a word gives, as 0 or 1; None where a number is not finite.

    Raises:
        FaultyRow: it is no number.
    """
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is int or kind is bool:
        try:
            return float(value)
        except OverflowError:
            return None
    if kind is str:
        if (outcome := OUTCOMES.get(value.strip().lower())) is not None:
            return outcome
        try:
            number = float(value)
        except ValueError:
            raise FaultyRow(f"{name} must be a number, not {describe_kind(value)}") from None
        return number if math.isfinite(number) else None
    if kind is list and len(value) == 1:
        return parse_number(name, value[0])
    raise FaultyRow(f"{name} must be a number, not {describe_kind(value)}")


OUTCOMES = {
    **dict.fromkeys(
        (
            "success", "succeeded", "pass", "passed", "passes", "correct", "right", "solved", "won", "win", "true",
            "yes", "works",
        ),
        1.0,
    ),
    **dict.fromkeys(
        ("failure", "failed", "fail", "fails", "incorrect", "wrong", "unsolved", "lost", "loss", "false", "no"), 0.0
    ),
}  # fmt: skip
"""Outcomes that are told by a word."""


def is_outcome(value: object) -> bool:
    """Whether a value tells an outcome: a word for one, or a number from 0 to 1."""
    if isinstance(value, str) and value.strip().lower() in OUTCOMES:
        return True
    try:
        return 0.0 <= float(value) <= 1.0  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def take_outcome(values: dict[str, Any], field: str, word: str) -> None:
    """Takes an outcome that is told by a word, where no number tells it."""
    if (outcome := OUTCOMES.get(word.strip().lower())) is not None:
        values.setdefault(field, outcome)


def divide_counts(values: dict[str, Any], row: Mapping[str, Any]) -> None:
    """Turns the number of tests that passed into their share, where the row says how many there are."""
    for field in ("gold", "success"):
        passed = values.get(field)
        if passed is None or passed <= 1.0:
            continue
        totals = (row.get(name) for name in TOTALS)
        total = next((one for one in totals if isinstance(one, int | float) and one >= passed), None)
        if total is not None:
            values[field] = passed / total
