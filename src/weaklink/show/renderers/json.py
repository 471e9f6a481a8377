"""A record as one line of JSON: the contract of docs/json.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from weaklink._version import __version__

SCHEMA = 1


def write_line(command: str, record: Mapping[str, Any]) -> str:
    """A record as one line of valid JSON, after what every line begins with."""
    return encode_line({"weaklink": __version__, "schema": SCHEMA, "command": command, **record})


def encode_line(record: Mapping[str, Any]) -> str:
    """Plain data as one line of valid JSON; a number that is not finite becomes a string."""
    return msgspec.json.encode(_make_valid(record)).decode() + "\n"


def _make_valid(value: Any) -> Any:
    """The value with everything replaced that JSON cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_make_valid(str(key)): _make_valid(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_make_valid(each) for each in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return value
