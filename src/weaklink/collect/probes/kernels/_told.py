"""A case in one line: what was given, what came back, what is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from weaklink.adapters.torch import arrays as torch_arrays

LONGEST = 40
"""How many numbers of an array are shown."""


def count_numbers(value: Any) -> int:
    """How many numbers an input holds."""
    if isinstance(value, list):
        return sum(map(count_numbers, value))
    return 0 if isinstance(value, str) else int(np.size(value))


def format_value(value: object) -> str:
    """Numbers short enough to be read: at most four digits, flags as 0 and 1."""
    if isinstance(value, list) and any(isinstance(each, np.ndarray) for each in value):
        return "[" + ", ".join(map(format_value, value)) + "]"
    if torch_arrays.is_tensor(value):
        value = torch_arrays.to_array(value)
    if isinstance(value, str) or value is None:
        return str(value)
    array = np.asarray(value)
    if array.dtype.kind == "O":
        return f"a {type(value).__name__}"
    if array.size > LONGEST:
        return f"{array.dtype} of shape {array.shape}"
    return _list(array)


def _list(array: Any) -> str:
    if array.ndim:
        return "[" + ", ".join(_list(row) for row in array) + "]"
    number = array.item()
    return f"{number:.4g}" if isinstance(number, float) else str(int(number))


def format_case(given: Mapping[str, Any]) -> str:
    """The arguments of a case, by their names."""
    return ", ".join(f"{name} {format_value(value)}" for name, value in given.items())


def format_results(arrays: tuple[Any, ...]) -> str:
    """One or several results."""
    return " and ".join(map(format_value, arrays))
