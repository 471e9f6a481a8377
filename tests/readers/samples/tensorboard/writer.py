"""A writer of event files of its own, slow and plain, against which the reader is tested."""

from __future__ import annotations

import struct


def slow_crc(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = slow_crc(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def whole(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def event(step: int, *values: bytes, time: float = 1.7e9) -> bytes:
    counted = whole(2, step) if step else b""
    return record(struct.pack("<Bd", 0x09, time) + counted + field(5, b"".join(field(1, value) for value in values)))


def scalar(tag: str, value: float) -> bytes:
    return field(1, tag.encode()) + struct.pack("<Bf", 0x15, value)


def tensor(tag: str, kind: int, body: bytes, shape: bytes = b"", plugin: str = "scalars") -> bytes:
    held = whole(1, kind) + field(2, shape) + body
    return field(1, tag.encode()) + field(9, field(1, field(1, plugin.encode()))) + field(8, held)


def text(tag: str, content: str) -> bytes:
    return tensor(tag, 7, field(8, content.encode()), field(2, whole(1, 1)), "text")


# dtype, body and value of tensors that hold one number
TENSORS = {
    "float content": (1, field(4, struct.pack("<f", -2.5)), -2.5),
    "double content": (2, field(4, struct.pack("<d", 1e300)), 1e300),
    "int content": (3, field(4, struct.pack("<i", -7)), -7),
    "long content": (9, field(4, struct.pack("<q", 1 << 40)), 1 << 40),
    "half content": (19, field(4, struct.pack("<e", 0.25)), 0.25),
    "float packed": (1, field(5, struct.pack("<f", 3.5)), 3.5),
    "float unpacked": (1, struct.pack("<Bf", 5 << 3 | 5, 3.5), 3.5),
    "double packed": (2, field(6, struct.pack("<d", 0.1)), 0.1),
    "int packed": (3, field(7, varint(300)), 300),
    "negative int": (3, field(7, varint(-300)), -300),
    "int unpacked": (3, whole(7, 5), 5),
    "long packed": (9, field(10, varint(1 << 50)), 1 << 50),
    "truth": (10, whole(11, 1), 1),
    "half packed": (19, field(13, varint(0x3C00)), 1.0),
    "zero left out": (1, b"", 0.0),
}
