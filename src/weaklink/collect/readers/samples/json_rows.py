"""Rows of JSON files: one a line, a list, an object with a list in it, or a table of columns and rows."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import msgspec

from weaklink.base.errors import CorruptLog, ReadError, TooLarge
from weaklink.base.limits import DEEPEST_TEXT, LONGEST_VALUE, RATIO, BoundedLines, find_most_unpacked, is_too_deep
from weaklink.collect.readers._files import HEAD, clean, detect_encoding, make_read_error
from weaklink.collect.readers._json import JsonScanner
from weaklink.collect.readers.samples.names import BODIES, FIELDS, LISTS, find_field

GZIP = b"\x1f\x8b"
CHUNK = 1 << 18
_DECODE = msgspec.json.Decoder().decode
_JOINTS = b"_- "
_MARKS = tuple(f'"{name}"'.encode().translate(None, _JOINTS) for name, field in FIELDS.items() if field in BODIES)

Row = tuple[int, Any]


def components(file: Path) -> tuple[str, ...]:
    """Columns that are reward components by the layout of the file: none in JSON, where names must say so."""
    return ()


def passed_over(file: Path) -> tuple[str, ...]:
    """Columns that were not even read: none in JSON."""
    return ()


def looks_like_samples(file: Path) -> bool:
    """Whether a field of a sample shows in the first bytes."""
    try:
        with open_file(file) as stream:
            start = stream.read(HEAD)
    except ReadError:
        return False
    plain = start.lower().translate(None, _JOINTS)
    return any(mark in plain for mark in _MARKS)


def rows(file: Path) -> Iterator[Row]:
    """The rows with their places, counted from 1; one that cannot be decoded is given as its error."""
    with open_file(file) as stream:
        start = stream.peek(HEAD)[:HEAD]
        if detect_encoding(start) != "utf-8-sig":
            yield from _scan(file, _decode_stream(stream, detect_encoding(start)))
        elif _is_lines(start):
            yield from _read_lines(stream)
        else:
            yield from _scan(file, _decode_stream(stream, "utf-8-sig"))


class _BoundedGzip(gzip.GzipFile):
    """A gzip file that is given up once it has grown more than any text does."""

    def __init__(self, file: Path, *, fileobj: Any) -> None:
        super().__init__(fileobj=fileobj)
        self._most = find_most_unpacked(file.stat().st_size)
        self._place = clean(file)

    def readinto(self, buffer: Any) -> int:
        if self.tell() > self._most:
            raise TooLarge(
                f"Text packed by gzip may grow {RATIO}-fold: {self._place} has grown to over {self._most:,} bytes. "
                "What comes after that is left out; unpack it with gzip -d to look at it."
            )
        return super().readinto(buffer)


@contextmanager
def open_file(file: Path) -> Iterator[io.BufferedReader]:
    """The bytes of a file, unpacked where it is packed by gzip.

    Raises:
        ReadError: it cannot be opened, or is damaged.
    """
    try:
        with io.BufferedReader(io.FileIO(file), CHUNK) as raw:
            packed = raw.peek(2)[:2] == GZIP
            unpacked = io.BufferedReader(cast(Any, _BoundedGzip(file, fileobj=raw)), HEAD) if packed else raw
            with unpacked as stream:
                yield cast("io.BufferedReader", stream)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorruptLog(
            f"{clean(file)} is packed by gzip and damaged: {error}. Unpack it with gzip -d, or copy it anew."
        ) from error
    except OSError as error:
        raise make_read_error(file, error) from error


def _is_lines(start: bytes) -> bool:
    """Whether each line is a value of its own, as opposed to one value over all lines."""
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] == b"[":
        return False
    line, ended, rest = text.partition(b"\n")
    if text[:1] != b"{" or not ended:
        return not _has_list(line)
    if line.rstrip().endswith(b"}"):
        return not (_has_list(line) and not rest.strip())
    return b"\n{" in text and b"\n}" not in text  # a first line that is torn, as opposed to one object over many lines


def _has_list(line: bytes) -> bool:
    """Whether an object begins with the list of samples or with the columns of a table."""
    name = line.lstrip()[1:].lstrip()[:24].partition(b":")[0].strip().strip(b'"').decode("utf-8", "replace")
    value = line.partition(b":")[2].lstrip()
    return name == "columns" or (name in LISTS and value[:1] == b"[")


def _read_lines(stream: io.BufferedReader) -> Iterator[Row]:
    for place, line in BoundedLines(stream, LONGEST_VALUE):
        if line is None:
            yield place, ValueError(f"the line must have {LONGEST_VALUE:,} bytes at most")
            continue
        try:
            value = _DECODE(line)
            if line.count(b"[") + line.count(b"{") > DEEPEST_TEXT and is_too_deep(value):
                yield place, ValueError(f"the line must be JSON of {DEEPEST_TEXT} brackets in each other at most")
            elif place == 1 and isinstance(value, dict) and (listed := _find_list(value)):
                yield from enumerate(listed, 1)
            else:
                yield place, value
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if line.strip(b" \t\r\n\xef\xbb\xbf"):
                yield place, _decode_leniently(line)


def _find_list(value: dict[str, Any]) -> list[Any]:
    """The samples that an object lists; none where it is one itself."""
    if any(find_field(name) in BODIES for name in value if name not in LISTS):
        return []
    found = (value[name] for name in LISTS if isinstance(value.get(name), list))
    rows: list[Any] = next(found, [])
    columns = value.get("columns")
    if isinstance(columns, list):
        return [dict(zip(columns, row, strict=False)) for row in rows if isinstance(row, list)]
    return rows if all(isinstance(row, dict) for row in rows) else []


def _decode_leniently(line: bytes) -> Any:
    """A line with NaN, a byte order mark, half characters or bytes that are no text; or what is wrong with it."""
    try:
        return json.loads(line.decode("utf-8-sig", "replace"))
    except json.JSONDecodeError as error:
        return ValueError(f"the line must be JSON: {error.msg} at character {error.pos + 1}")
    except RecursionError:
        return ValueError("the line must be JSON that is not nested too deep")
    except ValueError:  # Python converts no integer of more than 4,300 digits
        return ValueError("the line must hold no number of thousands of digits")


def _decode_stream(stream: io.BufferedReader, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    while content := stream.read(CHUNK):
        if chunk := decoder.decode(content):
            yield chunk
    if chunk := decoder.decode(b"", final=True):
        yield chunk


def _scan(file: Path, chunks: Iterator[str]) -> Iterator[Row]:
    scanner = JsonScanner(chunks)
    place = 0
    try:
        found = scanner.peek()
        values = _scan_members(scanner) if found == "{" else scanner.items() if found == "[" else scanner.values()
        for place, value in enumerate(values, 1):
            yield place, ValueError("nested too deep") if is_too_deep(value) else value
    except ValueError as error:
        yield place + 1, ValueError(f"the file must be JSON: {error}")


def _scan_members(scanner: JsonScanner) -> Iterator[Any]:
    """The samples of an object: the items of its list, the rows of its table, or the object itself."""
    rest: dict[str, Any] = {}
    listed = False
    for name in scanner.members():
        if scanner.peek() == "[" and (name in LISTS):
            columns = rest.get("columns")
            for item in scanner.items():
                if isinstance(item, dict) or isinstance(columns, list):
                    listed = True
                    yield (
                        dict(zip(columns, item, strict=False))
                        if isinstance(item, list) and isinstance(columns, list)
                        else item
                    )
        else:
            rest[name] = scanner.value()
    if not listed:
        yield rest
    yield from scanner.values()
