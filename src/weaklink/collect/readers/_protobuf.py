"""The wire format of protocol buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class MalformedMessage(ValueError):
    """Bytes that are no message."""


class MessageField(NamedTuple):
    """One field of a message and where its payload lies."""

    number: int
    wire: int
    start: int
    end: int


def read_varint(data: bytes, start: int, end: int) -> tuple[int, int]:
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
    raise MalformedMessage("an integer that does not end")


def read_fields(data: bytes, start: int, end: int) -> Iterator[MessageField]:
    """The fields of the message between two places."""
    while start < end:
        key, start = read_varint(data, start, end)
        wire = key & 7
        if wire == BYTES:
            length, start = read_varint(data, start, end)
            after = start + length
        elif wire == VARINT:
            after = read_varint(data, start, end)[1]
        elif wire in (FIXED32, FIXED64):
            after = start + (4 if wire == FIXED32 else 8)
        else:
            raise MalformedMessage(f"a field of wire type {wire}")
        if after > end:
            raise MalformedMessage("a field that reaches past its message")
        yield MessageField(key >> 3, wire, start, after)
        start = after


def read_values(message: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a whole message by number: varints as numbers, all else as bytes."""
    return [
        (number, read_varint(message, start, end)[0] if wire == VARINT else message[start:end])
        for number, wire, start, end in read_fields(message, 0, len(message))
    ]
