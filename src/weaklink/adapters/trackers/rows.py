"""The numbers that a script hands to its own tracker, read from the arguments of the call."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

from weaklink.base.backports import Self


class LoggedRow(NamedTuple):
    """The numbers of one call by name, and the step that was given with them, if any."""

    numbers: dict[str, float]
    step: float | None

    @classmethod
    def of(cls, data: Mapping[Any, Any], step: Any) -> Self:
        """The row of what was handed over."""
        read = {str(name): read_number(value) for name, value in data.items()}
        return cls({name: number for name, number in read.items() if number is not None}, read_number(step))


def read_scalar(
    _: object, tag: Any = None, scalar_value: Any = None, global_step: Any = None, *__: Any, **___: Any
) -> LoggedRow:
    """One number of `SummaryWriter.add_scalar`."""
    return LoggedRow.of({tag: scalar_value}, global_step)


def read_row(_: object, data: Any = None, step: Any = None, *__: Any, **___: Any) -> LoggedRow:
    """The numbers of a row of `wandb.Run.log`; pictures and tables are left out."""
    return LoggedRow.of(data if isinstance(data, Mapping) else {}, step)


def read_number(value: Any) -> float | None:
    """A number, of numpy or of torch too; None for all else and for what an accelerator has not yet worked out."""
    if isinstance(value, bool | str) or getattr(value, "is_cuda", False):
        return None
    if isinstance(value, Real):
        return float(value)
    if getattr(value, "ndim", None) is None or getattr(value, "size", None) is None:
        return None
    plain = value.detach() if hasattr(value, "detach") else value
    return float(plain.item()) if (plain.numel() if hasattr(plain, "numel") else plain.size) == 1 else None
