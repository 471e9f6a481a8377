"""Zip archives whose table of contents and parts keep to the limits, whatever they say of themselves."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from weaklink.base.errors import CorruptLog, TooLarge
from weaklink.base.limits import LARGEST_DIRECTORY
from weaklink.collect.readers._files import clean


class _BoundedReads(io.BufferedReader):
    """A file of which no more than a bounded part is read at once: zipfile reads the table of contents as one."""

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path))
        self._place = clean(path)

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST_DIRECTORY:
            raise TooLarge(
                f"The table of contents of a zip archive may have {LARGEST_DIRECTORY:,} bytes at most: that of "
                f"{self._place} has {size:,}. Unpack it, or give the archive as the trainer wrote it."
            )
        return super().read(size)


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive at a path.

    Raises:
        TooLarge: it lists more files than any log does.
        OSError, zipfile.BadZipFile, ValueError, RuntimeError, NotImplementedError: it is none, or damaged.
    """
    with _BoundedReads(path) as file, zipfile.ZipFile(file) as archive:
        yield archive


def open_part(archive: zipfile.ZipFile, name: str, path: Path) -> IO[bytes]:
    """A file of the archive, if packed as trainers and trackers pack: other ways can ask for gigabytes of memory.

    Raises:
        CorruptLog: it is packed in another way.
        KeyError: there is none.
    """
    entry = archive.getinfo(name)
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise CorruptLog(f"{name} must be stored or deflated: in {clean(path)} it is neither. Pack it again with zip.")
    return archive.open(entry)
