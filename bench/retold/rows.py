"""The same rows in another order, or half of what was drawn."""

from __future__ import annotations

import random
from typing import Any

from weaklink.collect.readers.samples.names import find_field

Row = dict[str, Any]
Rows = list[Row]

CLOCKS = ("epoch", "batch", "round", "t", "timestep", "turn", "step_idx", "timestamp", "time")


def shuffle(rows: Rows, rng: random.Random) -> Rows:
    """Any order, where each row says its step; otherwise the order is what says it."""
    if not any(find_field(name) in ("step", "policy_version") or name in CLOCKS for name in rows[0]):
        return rows
    return rng.sample(rows, len(rows))


def halve(rows: Rows, rng: random.Random) -> Rows:
    """Every other draw, whole: of each step half of its prompts."""
    draws = [_name_draw(row) for row in rows]
    names = list(dict.fromkeys(draws))
    if len(names) < 2:
        return rows
    kept = set(names[::2])
    return [row for row, name in zip(rows, draws, strict=True) if name in kept]


def _name_draw(row: Row) -> str:
    fields = {find_field(name): value for name, value in row.items() if isinstance(name, str)}
    about = fields.get("group") or fields.get("prompt") or fields.get("id") or str(row.get("messages"))[:400]
    return f"{fields.get('step')}\0{about}"
