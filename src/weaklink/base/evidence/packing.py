"""A survey on its way between processes: parts of it as bytes, and the whole put together again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.survey import Survey


def pack_part(part: Mapping[str, Any]) -> bytes:
    """A part of a survey as bytes: the values of some of its fields."""
    return msgspec.msgpack.encode(part, enc_hook=_encode_value)


def unpack_survey(parts: list[bytes], **more: object) -> Survey:
    """A survey put together from its parts; a later part adds to what an earlier one has."""
    fields: dict[str, Any] = {}
    for part in parts:
        for name, value in msgspec.msgpack.decode(part).items():
            fields[name] = _add(fields.get(name), value)
    return msgspec.convert(fields | more, Survey, dec_hook=_decode_value)


def _add(before: object, value: object) -> Any:
    if isinstance(before, dict) and isinstance(value, dict):
        return before | value
    if isinstance(before, list) and isinstance(value, list):
        return before + value
    return value


def _encode_value(value: object) -> Any:
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "shape": value.shape, "data": value.tobytes()}
    if isinstance(value, np.generic):
        return value.item()
    raise NotImplementedError(f"a survey cannot hold {type(value).__name__}")


def _decode_value(wanted: object, value: object) -> Any:
    if isinstance(value, dict) and set(value) == {"dtype", "shape", "data"}:
        return np.frombuffer(value["data"], value["dtype"]).reshape(value["shape"])
    raise NotImplementedError(f"{wanted} from {type(value).__name__}")
