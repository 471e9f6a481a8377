"""Counts and sizes as people write them: `7B` parameters, `80GB` of memory."""

from __future__ import annotations

import math
import re

from weaklink.base.errors import UsageError

_NUMBER = re.compile(r"\s*([0-9][0-9_.]*(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z]*)\s*")
_COUNTS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9, "t": 10**12}
_SIZES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_SMALLEST_BARE = 10**6
"""Bytes without a unit below this are surely meant in another."""
_BINARY_SIZES = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def parse_count(text: str | float, what: str) -> float:
    """A count such as `7B`, `350M` or `1.5e9`."""
    return _parse_quantity(text, what, _COUNTS, "a number such as 7B, 350M or 1.5e9")


def parse_size(text: str | float, what: str) -> float:
    """A size in bytes such as `80GB` (80 billion bytes) or `80GiB` (80 times 2 to the power of 30)."""
    found = _parse_quantity(text, what, {**_SIZES, **_BINARY_SIZES}, "a size such as 80GB or 80GiB")
    if found < _SMALLEST_BARE:
        raise UsageError(f"{what} is {found:g} bytes, which is no memory of a device: give a unit, such as {text}GB.")
    return found


def _parse_quantity(text: str | float, what: str, units: dict[str, int], wanted: str) -> float:
    match = _NUMBER.fullmatch(str(text))
    unit = match.group(2).lower() if match else "?"
    try:
        value = float(match.group(1).replace("_", "")) if match else math.nan
    except ValueError:
        value = math.nan
    if unit not in units or not math.isfinite(value) or value <= 0:
        raise UsageError(f"{what} must be {wanted}, and more than 0, not '{text}'.")
    return value * units[unit]
