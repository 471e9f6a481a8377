"""Arrays in the kind, precision and layout that a function takes, and its results back as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weaklink.adapters.torch import arrays as torch_arrays

Array = NDArray[Any]


class Unreadable(Exception):
    """A result that is no array, number, or tuple of them."""


@dataclass(frozen=True)
class ArrayStyle:
    """How arrays are handed over: numpy, lists or torch; in single or double precision; flags as numbers or flags."""

    kind: str
    double: bool
    flags: bool

    @property
    def told(self) -> str:
        """The style in words."""
        if self.kind == "list":
            return "lists"
        return f"{self.kind} float{64 if self.double else 32}{', bool flags' if self.flags else ''}"

    def made(self, value: object) -> Any:
        """An input in this style, always in memory of its own."""
        if isinstance(value, bool | int | float | str | list) or value is None:
            return value
        plain = np.asarray(value)
        if plain.dtype.kind == "b" and not self.flags:
            plain = plain.astype(np.float64)
        if self.kind == "torch":
            return torch_arrays.to_tensor(plain, self.double)
        if plain.dtype.kind == "f":
            plain = plain.astype(np.float64 if self.double else np.float32)
        if plain.ndim == 0:
            return plain.item()
        return plain.tolist() if self.kind == "list" else plain.copy()


NUMPY = (ArrayStyle("numpy", True, False), ArrayStyle("numpy", True, True))
LISTS = (ArrayStyle("list", True, False), ArrayStyle("list", True, True))
TORCH = (ArrayStyle("torch", False, False), ArrayStyle("torch", False, True))
OTHERS = (ArrayStyle("numpy", False, False), ArrayStyle("numpy", False, True), ArrayStyle("torch", True, False))
"""Styles that are tried for the record once another one has been found right."""


def list_styles(function: object, layout: str) -> list[ArrayStyle]:
    """The styles to try, the one that the function seems to be written for first."""
    plain = [*NUMPY, *(LISTS if layout == "T" else ())]
    if not torch_arrays.in_use():
        return plain
    code = getattr(function, "__code__", None)
    speaks = code is not None and "torch" in (*code.co_names, *code.co_varnames)
    return [*TORCH, *plain] if speaks else [*plain, *TORCH]


def arrange_axes(value: object, layout: str) -> Any:
    """An array with time first in another layout.

    TN: as it is; T: one environment, no axis for it; NT: batch first; B: as it is; B1: columns of one.
    """
    if not isinstance(value, np.ndarray) or layout in ("TN", "B", ""):
        return value
    if layout == "T":
        return value[..., 0] if value.ndim else value
    if layout == "NT":
        return value.T.copy() if value.ndim == 2 else value
    return value[:, None] if value.ndim == 1 else value


def read_results(answer: object, most: int) -> tuple[Array, ...]:
    """What a function gave, as arrays: one, or the first of a tuple or a mapping."""
    if isinstance(answer, Mapping):
        answer = tuple(answer.values())
    return tuple(_read_array(value) for value in answer[:most]) if isinstance(answer, tuple) else (_read_array(answer),)


def _read_array(value: object) -> Array:
    if torch_arrays.is_tensor(value):
        return torch_arrays.to_array(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = [torch_arrays.to_array(each) if torch_arrays.is_tensor(each) else each for each in value]
    try:
        made = np.asarray(value)
    except ValueError:
        raise Unreadable(f"it returns a {type(value).__name__} of rows of different length") from None
    if made.dtype.kind not in "fiub":
        raise Unreadable(f"it returns {type(value).__name__}, which is no array of numbers")
    return made
