"""Files that were cut short or spoilt, and what a reader may do with them: read them or raise a ReadError."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from hypothesis import strategies as st

from tests.readers.columns import series
from weaklink.base.errors import ReadError


def flipped(content: bytes, most: int = 30) -> st.SearchStrategy[bytes]:
    """The content with some of its bytes changed."""
    places = st.tuples(st.integers(0, len(content) - 1), st.integers(1, 255))
    return st.lists(places, max_size=most).map(lambda flips: _changed(content, flips))


def truncated(content: bytes) -> st.SearchStrategy[bytes]:
    """The start of the content."""
    return st.integers(0, len(content)).map(lambda length: content[:length])


def garbage(magic: bytes, size: int = 600) -> st.SearchStrategy[bytes]:
    """Any bytes, with or without those by which the format is known before them."""
    return st.tuples(st.sampled_from((b"", magic)), st.binary(max_size=size)).map(b"".join)


def only_read_errors(reader: ModuleType, path: Path, content: bytes | None = None) -> None:
    """Asks a reader for all that a path holds, with this content if any; what is no ReadError gets through."""
    if content is not None:
        path.write_bytes(content)
    assert reader.handles(path) in (True, False)
    try:
        logs = reader.read([path])
    except ReadError:
        return
    for raw in logs:
        for key in raw.columns:
            series(raw, key)


def _changed(content: bytes, flips: list[tuple[int, int]]) -> bytes:
    changed = bytearray(content)
    for place, difference in flips:
        changed[place] ^= difference
    return bytes(changed)
