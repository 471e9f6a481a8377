"""A font whose letters are bars, for pictures that look the same whichever fonts a machine has.

As with the font Ahem of the web platform tests: where text stands, how much of it there is and in which colour can be
seen, and nothing of how a letter is drawn.
"""

from __future__ import annotations

import struct
from itertools import pairwise
from pathlib import Path

NAME = "Bars"
EM, ASCENT, DESCENT = 1000, 930, 240
"""Units of the font, and how far a line reaches up and down, as in common fonts without serifs."""

ADVANCE, SPACE = 560, 300
"""The width of a letter and of a space: near the average of such fonts."""

BAR = (30, 0, 530, 620)
LETTER, BLANK = 1, 2
FIRST_LETTER, LAST_LETTER = 0x21, 0xFFFD
BLANKS = (0x20, 0xA0, 0x2009, 0x200B)
CONFIGURATION = "<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir></fontconfig>"


def install_bars(folder: Path) -> Path:
    """Writes the font, and the configuration by which programs know no other; the path of the latter."""
    (folder / f"{NAME}.ttf").write_bytes(make_font())
    configuration = folder / "fonts.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder), encoding="utf-8")
    return configuration


def make_font() -> bytes:
    """The font as a file of TrueType."""
    bar = _draw_bar()
    tables = {
        b"OS/2": _describe_weight(),
        b"cmap": _map_letters(),
        b"glyf": bar + bar,
        b"head": _pack_head(0),
        b"hhea": struct.pack(
            ">IhhhHhhhhhhhhhhhH", 0x10000, ASCENT, -DESCENT, 0, ADVANCE, 0, 0, ADVANCE, 1, 0, 0, 0, 0, 0, 0, 0, 3
        ),
        b"hmtx": struct.pack(">HhHhHh", ADVANCE, BAR[0], ADVANCE, BAR[0], SPACE, 0),
        b"loca": struct.pack(">IIII", 0, len(bar), 2 * len(bar), 2 * len(bar)),
        b"maxp": struct.pack(">IHHHHHHHHHHHHHH", 0x10000, 3, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": _name_font(),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    whole = _join_tables(tables)
    tables[b"head"] = _pack_head((0xB1B0AFBA - _sum(whole)) & 0xFFFFFFFF)
    return _join_tables(tables)


def _join_tables(tables: dict[bytes, bytes]) -> bytes:
    count = len(tables)
    power = count.bit_length() - 1
    head = struct.pack(">IHHHH", 0x10000, count, 16 << power, power, 16 * count - (16 << power))
    at, directory, body = len(head) + 16 * count, b"", b""
    for tag, content in sorted(tables.items()):
        padded = content + bytes(-len(content) % 4)
        directory += struct.pack(">4sIII", tag, _sum(padded), at + len(body), len(content))
        body += padded
    return head + directory + body


def _sum(content: bytes) -> int:
    padded = content + bytes(-len(content) % 4)
    return sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF


def _draw_bar() -> bytes:
    """One contour of four corners on the curve."""
    left, low, right, high = BAR
    corners = ((left, low), (left, high), (right, high), (right, low))
    steps = [
        [here[axis] - before[axis] for before, here in zip(((0, 0), *corners), corners, strict=False)]
        for axis in (0, 1)
    ]
    drawn = struct.pack(">hhhhhHH", 1, *BAR, 3, 0) + bytes([1] * 4)
    drawn += b"".join(struct.pack(">4h", *axis) for axis in steps)
    return drawn + bytes(-len(drawn) % 4)


def _map_letters() -> bytes:
    """Every character is a letter but for the blanks, by the format in which many characters share a glyph."""
    edges = sorted({FIRST_LETTER, *BLANKS, *(blank + 1 for blank in BLANKS)} | {LAST_LETTER + 1})
    groups = [
        struct.pack(">III", first, after - 1, BLANK if first in BLANKS else LETTER) for first, after in pairwise(edges)
    ]
    table = struct.pack(">HHIII", 13, 0, 16 + 12 * len(groups), 0, len(groups)) + b"".join(groups)
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + table


def _pack_head(adjustment: int) -> bytes:
    return struct.pack(">IIIIHHqqhhhhHHhhh", 0x10000, 0x10000, adjustment, 0x5F0F3CF5, 3, EM, 0, 0, *BAR, 0, 8, 2, 1, 0)


def _name_font() -> bytes:
    told = {1: NAME, 2: "Regular", 4: NAME, 6: NAME}
    texts = [text.encode("utf-16-be") for text in told.values()]
    starts = [sum(map(len, texts[:place])) for place in range(len(texts))]
    records = b"".join(
        struct.pack(">HHHHHH", 3, 1, 0x409, number, len(text), start)
        for number, text, start in zip(told, texts, starts, strict=True)
    )
    return struct.pack(">HHH", 0, len(told), 6 + len(records)) + records + b"".join(texts)


def _describe_weight() -> bytes:
    head = struct.pack(">HhHHH", 4, ADVANCE, 400, 5, 0) + struct.pack(">11h", *(100,) * 11)
    coverage = bytes(10) + struct.pack(">IIII", 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF) + b"none"
    lines = struct.pack(">HHHhhhHH", 0x40, 0x20, 0xFFFD, ASCENT, -DESCENT, 0, ASCENT, DESCENT)
    return head + coverage + lines + struct.pack(">IIhhHHH", 1, 0, 520, 620, 0, 0x20, 0)
