"""The wire format of protocol buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Malformed(ValueError):
    """Bytes that are no message."""


class Field(NamedTuple):
    """One field of a message and where its payload lies."""

    number: int
    wire: int
    start: int
    end: int


def varint(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The variable-length integer that starts here, and where it ends."""
    if start < end and data[start] < 0x80:
        return data[start], start + 1
    value = shift = 0
    for position in range(start, min(end, start + 10)):
        byte = data[position]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position + 1
        shift += 7
    raise Malformed("an integer that does not end")


def fields(data: bytes, start: int, end: int) -> Iterator[Field]:
    """The fields of the message between two places."""
    while start < end:
        key, start = varint(data, start, end)
        wire = key & 7
        if wire == BYTES:
            length, start = varint(data, start, end)
            after = start + length
        elif wire == VARINT:
            after = varint(data, start, end)[1]
        elif wire in (FIXED32, FIXED64):
            after = start + (4 if wire == FIXED32 else 8)
        else:
            raise Malformed(f"a field of wire type {wire}")
        if after > end:
            raise Malformed("a field that reaches past its message")
        yield Field(key >> 3, wire, start, after)
        start = after


def values(message: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a whole message by number: varints as numbers, all else as bytes."""
    return [
        (number, varint(message, start, end)[0] if wire == VARINT else message[start:end])
        for number, wire, start, end in fields(message, 0, len(message))
    ]
