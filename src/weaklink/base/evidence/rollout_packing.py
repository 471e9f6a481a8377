"""What was read of an update on its way between processes: a rollout as bytes, and made again from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence import recovered, rollout
from weaklink.base.evidence.rollout import Rollout

KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for module in (rollout, recovered)
    for kind in vars(module).values()
    if isinstance(kind, type) and is_dataclass(kind)
}
"""Everything that a rollout is made of."""

KIND, ARRAY, TABLE = "@kind", "@array", "@table"


def pack_rollout(seen: Rollout) -> bytes:
    """A rollout as bytes."""
    return msgspec.msgpack.encode(_to_plain(seen))


def unpack_rollout(packed: bytes) -> Rollout:
    """The rollout that was packed.

    Raises:
        ValueError: these bytes hold none.
    """
    try:
        made = _from_plain(msgspec.msgpack.decode(packed))
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"A rollout cannot be made of {len(packed)} bytes: {error}.") from None
    if not isinstance(made, Rollout):
        raise ValueError(f"A rollout was expected, not {type(made).__name__}.")
    return made


def _to_plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {ARRAY: [value.dtype.str, list(value.shape), value.tobytes()]}
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value):
        named = {each.name: _to_plain(getattr(value, each.name)) for each in fields(value)}
        return {KIND: type(value).__name__, **named}
    if isinstance(value, Mapping):
        return {TABLE: {str(name): _to_plain(part) for name, part in value.items()}}
    return [_to_plain(part) for part in value] if isinstance(value, tuple | list) else value


def _from_plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_from_plain, value))
    if not isinstance(value, dict):
        return value
    if ARRAY in value:
        dtype, shape, data = value[ARRAY]
        return np.frombuffer(data, dtype).reshape(shape)
    if TABLE in value:
        return {name: _from_plain(part) for name, part in value[TABLE].items()}
    return KINDS[value.pop(KIND)](**{name: _from_plain(part) for name, part in value.items()})
