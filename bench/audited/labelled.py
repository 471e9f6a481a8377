"""A set of samples whose illness is known because it was planted, or whose honesty is known because nothing was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Rows = list[dict[str, Any]]
Make = Callable[[int], Rows]


@dataclass(frozen=True)
class LabelledSet:
    """One kind of set. `code` is the rule that must find it, empty where nothing must be found.

    `make` and `baseline` take a seed and give the rows in the schema of samples.
    """

    name: str
    code: str
    style: str
    make: Make
    baseline: Make | None = None
