"""The numbers that a script hands to its own tracker, read from the arguments of the call."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any


def read_scalar(_: object, tag: Any = None, scalar_value: Any = None, *__: Any, **___: Any) -> dict[str, float]:
    """One number of `SummaryWriter.add_scalar`."""
    number = read_number(scalar_value)
    return {str(tag): number} if number is not None else {}


def read_row(_: object, data: Any = None, *__: Any, **___: Any) -> dict[str, float]:
    """The numbers of a row of `wandb.Run.log`; pictures and tables are left out."""
    if not isinstance(data, Mapping):
        return {}
    read = {str(name): read_number(value) for name, value in data.items()}
    return {name: number for name, number in read.items() if number is not None}


def read_number(value: Any) -> float | None:
    """A number, of numpy or of torch too; None for all else and for what an accelerator has not yet worked out."""
    if isinstance(value, bool | str) or getattr(value, "is_cuda", False):
        return None
    if isinstance(value, Real):
        return float(value)
    if getattr(value, "ndim", None) is None or getattr(value, "size", None) is None:
        return None
    plain = value.detach() if hasattr(value, "detach") else value
    return float(plain) if (plain.numel() if hasattr(plain, "numel") else plain.size) == 1 else None
