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
    """A number, or None where it is not finite.

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
        try:
            number = float(value)
        except ValueError:
            raise FaultyRow(f"{name} must be a number, not {describe_kind(value)}") from None
        return number if math.isfinite(number) else None
    if kind is list and len(value) == 1:
        return parse_number(name, value[0])
    raise FaultyRow(f"{name} must be a number, not {describe_kind(value)}")


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
