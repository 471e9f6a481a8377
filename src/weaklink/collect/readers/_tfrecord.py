"""TFRecord files, read in blocks: each record is a length, its checksum, data and their checksum."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from weaklink.base.limits import LONGEST_LINE
from weaklink.collect.readers._crc32c import compute_masked_crc32c

HEADER = 12
"""Bytes of a record before its data."""

FRAME = 16
"""Bytes of a record beside its data."""

_BLOCK = 1 << 22


@dataclass
class RecordFaults:
    """What was wrong with one file."""

    damaged: int = 0
    first_damaged: int = 0
    too_long: int | None = None
    lost_from: int | None = None
    torn: bool = False

    def count_damaged(self, place: int) -> None:
        """Counts a record, by its place in the file, whose data are not what was written."""
        self.first_damaged = min(self.first_damaged, place) if self.damaged else place
        self.damaged += 1

    @property
    def is_passed(self) -> bool:
        """Whether all records so far were gone through one by one."""
        return self.too_long is None and self.lost_from is None

    def notes(self, name: str) -> Iterator[str]:
        """The faults in words."""
        if self.damaged == 1:
            yield f"the record at byte {self.first_damaged} of {name} is damaged: it was left out"
        elif self.damaged:
            count, first = self.damaged, self.first_damaged
            yield f"{count} records of {name} are damaged, the first at byte {first}: they were left out"
        if self.too_long is not None:
            limit, first = LONGEST_LINE >> 20, self.too_long
            yield f"{name} holds a record of over {limit} MiB at byte {first}: such records were left out"
        if self.lost_from is not None:
            yield f"{name} is damaged at byte {self.lost_from}: what follows was not read"
        if self.torn:
            yield f"the last record of {name} is not whole yet: it was left out"


@dataclass(frozen=True)
class RecordBlock:
    """A stretch of a file: its bytes, where it starts, and the edges of the whole records in it."""

    data: bytes
    start: int
    edges: list[int]


def read_length(header: bytes) -> int | None:
    """The length that a record's header gives, or None where the header is damaged."""
    if len(header) < HEADER:
        return None
    length, checksum = struct.unpack("<QI", header)
    return int(length) if compute_masked_crc32c(header[:8]) == checksum else None


def read_blocks(file: BinaryIO, faults: RecordFaults, start: int = 0) -> Iterator[RecordBlock]:
    """The file from a record on in blocks, in bounded memory, up to its end or to the first length that is damaged."""
    known: dict[bytes, int] = {}
    rest, wanted = b"", _BLOCK
    file.seek(start)
    while True:
        fresh = file.read(wanted)
        data = rest + fresh
        edges = _find_edges(data, known)
        yield RecordBlock(data, start, edges)
        rest, start, wanted = data[edges[-1] :], start + edges[-1], _BLOCK
        if len(rest) >= HEADER:
            length = read_length(rest[:HEADER])
            if length is None:
                faults.lost_from = start
                return
            if length > LONGEST_LINE:
                faults.torn = start + length + FRAME > os.fstat(file.fileno()).st_size
                if faults.torn:
                    return
                faults.too_long = start if faults.too_long is None else faults.too_long
                rest, start = b"", start + length + FRAME
                file.seek(start)
                continue
            wanted = max(_BLOCK, length + FRAME - len(rest))
        if not fresh:
            faults.torn = bool(rest)
            return


def _find_edges(data: bytes, known: dict[bytes, int]) -> list[int]:
    """Where the whole records start, and where the last one ends; `known` keeps the headers met before."""
    edges = [0]
    position, last = 0, len(data) - HEADER
    while position <= last:
        header = data[position : position + HEADER]
        length = known.get(header)
        if length is None:
            length = read_length(header)
            if length is None:
                break
            known[header] = length
        position += length + FRAME
        edges.append(position)
    if position > len(data):
        edges.pop()
    return edges
