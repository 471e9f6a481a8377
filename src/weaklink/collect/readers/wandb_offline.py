"""Weights & Biases: the `run-<id>.wandb` file that each run leaves on its own machine, read without wandb.

After a head of 7 bytes the file is a LevelDB log: blocks of 32 KiB hold pieces (checksum, length, kind, data)
and one piece or more make a record. The checksum is a plain CRC-32, unlike LevelDB's own. A record is a
protobuf message; the field numbers below are those of wandb 0.31.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from weaklink.base.limits import LONGEST_LINE
from weaklink.collect.readers._files import is_file, read_head
from weaklink.collect.readers._protobuf import read_values
from weaklink.collect.readers._trackers import (
    extract_numbers,
    keep_logs_with_numbers,
    parse_finite,
    parse_json,
    read_each,
)
from weaklink.collect.readers.raw import RawLog, parse_number

NAME = "W&B offline"
LOOKS_FOR = "run-*.wandb"

MAGIC = b":W&B"
HEAD = 7
BLOCK = 32 * 1024
PIECE = struct.Struct("<IHB")
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4

HISTORY, CONFIG, RUN = 2, 5, 17  # of a Record
RUN_ID, RUN_CONFIG, RUN_DISPLAY_NAME = 1, 4, 8
CONFIG_UPDATE, CONFIG_REMOVE = 1, 2
HISTORY_ITEM, HISTORY_STEP = 1, 2
KEY, NESTED_KEY, BOOLEAN, INTEGER, NUMBER, TEXT, JSON, VALUE_JSON = 1, 2, 4, 5, 6, 7, 8, 16  # of an item

PLAIN_ITEM = re.compile(rb"\x12([\x00-\x7f])([^\x82]*)\x82\x01([\x00-\x7f])(.*)", re.DOTALL)
"""The usual item, one key and its JSON, each after its length: a short cut that saves a third of the time."""

INTERNAL = frozenset(("_step", "_runtime", "_timestamp", "_wandb"))
STEPS = ("global_step", "train/global_step", "_step")
"""The trainer's own counter (W&B copies it from TensorBoard logs, Hugging Face logs it) goes before W&B's."""


def handles(path: Path) -> bool:
    """Whether this is a W&B file, if only the start of one."""
    return path.suffix == ".wandb" and is_file(path) and MAGIC.startswith(read_head(path, len(MAGIC)))


def read(paths: Sequence[Path]) -> list[RawLog]:
    """The runs in these files, one a file.

    Raises:
        ReadError: no file holds a run that can be read.
    """
    return read_each(paths, _read_file)


def _read_file(path: Path) -> list[RawLog]:
    raw = RawLog(name=path.stem.removeprefix("run-"), source=str(path))
    with path.open("rb") as file:
        pieces = _RecordPieces(file)
        for record in pieces.records():
            try:
                _take(record, raw)
            except ValueError:
                pieces.lost += 1
    if pieces.torn:
        raw.notes.append(f"the last record of {path.name} is not whole yet: it was left out")
    damage = [f"{pieces.lost} damaged piece(s) of {path.name} were left out"] if pieces.lost else []
    return keep_logs_with_numbers([raw], path, "Wait for the first wandb.log of the run, or name another file.", damage)


class _RecordPieces:
    """Puts the records of a file together and counts what could not be."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._parts: list[bytes] = []
        self._size = 0
        self.lost = 0
        self.torn = False

    def records(self) -> Iterator[bytes]:
        """The whole records of the file, in order."""
        for kind, data in self._pieces():
            if kind in (FULL, FIRST):
                self._drop()
            elif not self._parts:
                self.lost += 1
                continue
            self._parts.append(data)
            self._size += len(data)
            if kind in (FULL, LAST):
                yield b"".join(self._parts)
                self._parts, self._size = [], 0
            elif self._size > LONGEST_LINE:
                self._drop()
        self.torn |= bool(self._parts)

    def _drop(self) -> None:
        self.lost += bool(self._parts)
        self._parts, self._size = [], 0

    def _pieces(self) -> Iterator[tuple[int, bytes]]:
        at = HEAD
        while block := self._file.read(BLOCK):
            yield from self._pieces_in(block, at)
            at = 0

    def _pieces_in(self, block: bytes, at: int) -> Iterator[tuple[int, bytes]]:
        """The pieces of one block; after damage to a length, the next block is the next place to trust."""
        while at + PIECE.size <= len(block):
            checksum, length, kind = PIECE.unpack_from(block, at)
            if not (checksum or length or kind):
                return  # space set aside that was never written
            start, at = at + PIECE.size, at + PIECE.size + length
            sound = FULL <= kind <= LAST
            if sound and at > len(block) and len(block) < BLOCK:
                self.torn = True
                return
            if not sound or at > len(block):
                self.lost += 1
                self._drop()
                return
            data = block[start:at]
            if zlib.crc32(data, zlib.crc32(bytes((kind,)))) == checksum:
                yield kind, data
            else:
                self.lost += 1
                self._drop()
        self.torn |= at < len(block) < BLOCK


def _take(record: bytes, raw: RawLog) -> None:
    for number, value in read_values(record):
        if not isinstance(value, bytes):
            continue
        if number == HISTORY:
            _take_row(value, raw)
        elif number == CONFIG:
            _take_config(value, raw)
        elif number == RUN:
            _take_run(value, raw)


def _take_run(message: bytes, raw: RawLog) -> None:
    known = {number: value for number, value in read_values(message) if isinstance(value, bytes) and value}
    name = known.get(RUN_DISPLAY_NAME) or known.get(RUN_ID)
    raw.name = name.decode("utf-8", "replace") if name else raw.name
    _take_config(known.get(RUN_CONFIG, b""), raw)


def _take_config(message: bytes, raw: RawLog) -> None:
    for number, item in read_values(message):
        if not isinstance(item, bytes) or number not in (CONFIG_UPDATE, CONFIG_REMOVE):
            continue
        path, value = _parse_item(item)
        key = ".".join(path)
        if number == CONFIG_REMOVE:
            raw.config.pop(key, None)
        elif path and path[0] not in INTERNAL and isinstance(value, bytes):
            raw.config[key] = parse_json(value)


def _take_row(message: bytes, raw: RawLog) -> None:
    row: dict[tuple[str, ...], float | bytes | None] = {}
    record_step = 0.0
    for number, value in read_values(message):
        if isinstance(value, bytes) and number == HISTORY_ITEM:
            path, content = _parse_item(value)
            row[path] = content
        elif isinstance(value, bytes) and number == HISTORY_STEP:
            record_step = float(next((step for _, step in read_values(value) if isinstance(step, int)), 0))
    media = {path[:-1] for path in row if len(path) > 1 and path[-1] == "_type"}
    if media:
        row = {path: content for path, content in row.items() if not _inside(path, media)}
    numbers = {
        key: number for path, content in row.items() for key, number in _extract_numbers("/".join(path), content)
    }
    counter = next((key for key in STEPS if math.isfinite(numbers.get(key, math.nan))), "")
    step, time = numbers.get(counter, record_step), parse_finite(numbers.get("_timestamp"))
    for key, value_logged in numbers.items():
        if key != counter and key.partition("/")[0] not in INTERNAL:
            raw.column(key).add(step, value_logged, time)


def _inside(path: tuple[str, ...], media: set[tuple[str, ...]]) -> bool:
    return any(path[:length] in media for length in range(1, len(path)))


def _parse_item(message: bytes) -> tuple[tuple[str, ...], float | bytes | None]:
    """The key of an item by its parts, and its value: a number, JSON yet to be read, or None for neither."""
    plain = PLAIN_ITEM.fullmatch(message)
    if plain is not None and len(plain[2]) == plain[1][0] and len(plain[4]) == plain[3][0]:
        return (plain[2].decode("utf-8", "replace"),), plain[4]
    path: list[str] = []
    content: float | bytes | None = None
    for number, value in read_values(message):
        if isinstance(value, int):
            if number == BOOLEAN:
                content = float(value)
            elif number == INTEGER:
                content = float((value >> 1) ^ -(value & 1))
        elif number in (KEY, NESTED_KEY):
            path.append(value.decode("utf-8", "replace"))
        elif number in (VALUE_JSON, JSON):
            content = value
        elif number == NUMBER and len(value) == 8:
            content = float(struct.unpack("<d", value)[0])
        elif number == TEXT:
            content = parse_number(value.decode("utf-8", "replace"))
    return tuple(path), content


def _extract_numbers(key: str, content: float | bytes | None) -> Iterator[tuple[str, float]]:
    if isinstance(content, bytes):
        try:
            yield key, float(content)
        except ValueError:
            if not content.startswith(b"["):
                yield from extract_numbers({key: parse_json(content)}).items()
    elif content is not None:
        yield key, content
