"""Numbers out of whatever a training script hands over under whatever name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def parse_number(value: Any) -> float | None:
    """A value as a number where it is one, or an array of one; None otherwise. It never raises."""
    try:
        single = value.item() if hasattr(value, "item") else value
        return float(single)
    except Exception:  # a user's own type may raise whatever it likes
        return None


def list_readings(metrics: Any) -> Iterator[tuple[str, str, float]]:
    """Of each metric that is a number: its name as given, its name behind the last `/`, and its value."""
    if not isinstance(metrics, Mapping):
        return
    for name, value in metrics.items():
        known = parse_number(value)
        if known is not None and isinstance(name, str):
            yield name, name.rpartition("/")[2], known
