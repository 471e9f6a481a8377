"""Inputs made of real ones: spoilt byte by byte, number by number, and inside of what wraps them."""

from __future__ import annotations

import gzip
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from tests.readers.samples.tensorboard import writer

LARGEST = 200_000
"""Bytes of an input: long enough that what grows with the square of a length takes seconds."""

SNIPPETS = (
    b"\n", b"\0", b"\r", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b'"', b"'", b"{", b"[", b"}", b"]", b"(", b",",
    b":", b"=", b"|", b"-", b"#", b"`", b"\\", b"\x1b[", b"\x1b]", b" ", b"\t", b"NaN", b"Infinity", b"null", b"true",
    b"- ", b"&a *a", b"!!python/object", b"\xed\xa0\x80", "²".encode(), "١".encode(), b"step", b"1" * 400, b"1" * 5000,
    b"[" * 2000, b'{"a":' * 500, b"a: " * 300, b"step: 1 loss: 2\n", b"| loss | 1 |\n",
)  # fmt: skip
NUMBERS = (
    b"0", b"-0", b"-1", b"1e308", b"-1e308", b"1e309", b"5e-324", b"NaN", b"nan", b"-inf", b"Infinity",
    b"9007199254740993", b"9223372036854775808", b"18446744073709551616", b"1" * 400, b"1" * 5000, b"0x1f", b"1_000",
    b"1e", b".", b"", b'"x"', b"true", b"null", b"[]", b"{}",
)  # fmt: skip
ODD = (
    None, True, 0, -1, 2**53 + 1, 2**63, 2**64, 10**400, 1e308, -1e308, 5e-324, float("nan"), float("inf"), "", "x",
    "1.5", "nan", "\ud800", "\0", "`" * 3000, "a" * 5000, [], [[]], [None], {}, {"a": None}, [1, "a"],
    [{}], {"": {"": 1}}, {"role": "assistant"}, [{"role": "assistant", "content": None}],
    {"value": 1}, {"_type": "histogram"},
)  # fmt: skip
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")

Mutator = Callable[[bytes, Random], bytes]


def spoil_bytes(content: bytes, draw: Random) -> bytes:
    """Cut, flipped, filled in, written over."""
    spoiled = bytearray(content[: draw.randint(0, len(content))] if draw.random() < 0.2 else content)
    for _ in range(draw.choice((1, 1, 2, 4, 12))):
        place = draw.randint(0, len(spoiled))
        way = draw.randrange(5)
        if way == 0:
            spoiled[place:place] = draw.choice(SNIPPETS)
        elif way == 1:
            spoiled[place : place + draw.randint(1, 20)] = draw.randbytes(draw.randint(0, 4))
        elif way == 2 and place < len(spoiled):
            spoiled[place] ^= 1 << draw.randrange(8)
        elif way == 3:
            spoiled[place : place + 8] = struct.pack("<q", draw.choice((0, -1, 2**31, 2**62, len(content))))
        else:
            del spoiled[place : place + draw.randint(1, 200)]
    return bytes(spoiled)


def repeat_piece(content: bytes, draw: Random) -> bytes:
    """A piece of it, or a snippet, so many times that what is not linear shows."""
    start = draw.randint(0, len(content))
    piece = draw.choice((content[start : start + draw.choice((1, 2, 5, 40))], draw.choice(SNIPPETS))) or b" "
    times = draw.choice((3, 10, 100, 100, 1000, LARGEST // len(piece)))
    return content[:start] + piece * min(times, LARGEST // len(piece) + 1) + content[start:]


def swap_numbers(content: bytes, draw: Random) -> bytes:
    """Some of its numbers replaced by extreme ones, or all by the same."""
    share, one = draw.choice((0.02, 0.2, 1.0)), draw.choice(NUMBERS)
    return _NUMBER.sub(
        lambda found: (one if share == 1.0 else draw.choice(NUMBERS)) if draw.random() < share else found[0], content
    )


def shuffle_lines(content: bytes, draw: Random) -> bytes:
    """Lines dropped, doubled and put elsewhere."""
    lines = content.splitlines(keepends=True)
    for _ in range(draw.randint(1, 6)):
        if lines:
            line = lines.pop(draw.randrange(len(lines)))
            for _ in range(draw.randrange(3)):
                lines.insert(draw.randint(0, len(lines)), line)
    return b"".join(lines)


def spoil_json(content: bytes, draw: Random) -> bytes:
    """JSON with odd values at odd places: one value, or one a line."""
    try:
        return _dump(spoil_tree(json.loads(content), draw))
    except (ValueError, RecursionError):
        pass
    lines = content.splitlines()
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(lines)) if lines else 0
        try:
            lines[place] = _dump(spoil_tree(json.loads(lines[place]), draw))
        except (ValueError, RecursionError, IndexError):
            return spoil_bytes(content, draw)
    return b"\n".join(lines) + b"\n"


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def spoil_tree(value: Any, draw: Random) -> Any:
    """Decoded JSON or msgpack with one part replaced, renamed, removed or wrapped."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(list(value))
        way = draw.randrange(8)
        if way == 0:
            return {name: part for name, part in value.items() if name != key}
        if way == 1:
            odd = draw.choice(("", "step", "time", "metrics", "\0", "x" * 3000, "a/b", "1"))
            return {odd if name == key and isinstance(key, str) else name: part for name, part in value.items()}
        return {**value, key: spoil_tree(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.9:
        place = draw.randrange(len(value))
        return [*value[:place], spoil_tree(value[place], draw), *value[place + draw.randint(0, 1) :]]
    way = draw.randrange(8)
    if way == 0:
        for _ in range(draw.choice((1, 20, 200, 900))):
            value = [value] if draw.random() < 0.5 else {"a": value}
        return value
    return [value] * draw.choice((2, 500)) if way == 1 else draw.choice(ODD)


def spoil_msgpack(content: bytes, draw: Random) -> bytes:
    """Msgpack with odd values at odd places."""
    try:
        return msgspec.msgpack.encode(spoil_tree(msgspec.msgpack.decode(content), draw))
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError, OverflowError):
        return spoil_bytes(content, draw)


def inside_zip(mutate: Mutator) -> Mutator:
    """Spoils one file inside of an archive, which stays whole."""

    def spoil(content: bytes, draw: Random) -> bytes:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        chosen = draw.choice(list(parts))
        parts[chosen] = mutate(parts[chosen], draw)
        packed = io.BytesIO()
        packing = draw.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
        with zipfile.ZipFile(packed, "w") as archive:
            for name, part in parts.items():
                archive.writestr(zipfile.ZipInfo(name), part, packing)  # its date is always the same
        return packed.getvalue()

    return spoil


def inside_gzip(mutate: Mutator) -> Mutator:
    """Spoils what is packed by gzip."""
    return lambda content, draw: gzip.compress(mutate(gzip.decompress(content), draw), 1, mtime=0)


def inside_records(content: bytes, draw: Random) -> bytes:
    """Spoils one event of a TensorBoard file, its checksums set right again."""
    records, place = [], 0
    while place + 12 <= len(content):
        (length,) = struct.unpack_from("<Q", content, place)
        records.append(content[place + 12 : place + 12 + length])
        place += length + 16
    chosen = draw.randrange(min(len(records), 40))
    spoiled = spoil_bytes(records[chosen], draw)[:4000]
    kept = records[max(chosen - 4, 0) : chosen + 5]
    return b"".join(writer.record(spoiled if one is records[chosen] else one) for one in kept)


def inside_pieces(content: bytes, draw: Random) -> bytes:
    """Spoils one record of a W&B file, its checksum set right again."""
    pieces, place = [], 7
    while place + 7 <= min(len(content), 32 * 1024):
        _, length, kind = struct.unpack_from("<IHB", content, place)
        pieces.append((kind, content[place + 7 : place + 7 + length]))
        place += 7 + length
    chosen = draw.randrange(len(pieces))
    pieces[chosen] = (pieces[chosen][0], spoil_bytes(pieces[chosen][1], draw)[:8000])
    written = b"".join(
        struct.pack("<IHB", zlib.crc32(data, zlib.crc32(bytes((kind,)))), len(data), kind) + data
        for kind, data in pieces
    )
    return content[:7] + written


TEXT: tuple[Mutator, ...] = (spoil_bytes, spoil_bytes, swap_numbers, shuffle_lines, repeat_piece)
JSON: tuple[Mutator, ...] = (*TEXT, spoil_json, spoil_json, spoil_json)
BINARY: tuple[Mutator, ...] = (spoil_bytes, spoil_bytes, spoil_bytes, repeat_piece)


def mutate(content: bytes, mutators: tuple[Mutator, ...], draw: Random) -> bytes:
    """The content spoilt once or several times over."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        try:
            content = draw.choice(mutators)(content, draw)
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, IndexError, KeyError, struct.error, zlib.error):
            content = spoil_bytes(content, draw)  # spoilt before so that it cannot be taken apart any more
        content = content[: 2 * LARGEST]
    return content
