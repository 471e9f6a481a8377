"""What can be known of growing files without reading them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

Sizes = dict[str, tuple[int, int, int]]
"""The time of the last change, the size and the identity of each file."""

BEGUN_ANEW = 0.5
"""A log that holds less than this share of what it held was begun anew."""
DATABASES = (".db", ".sqlite", ".sqlite3")


def measure_files(paths: Iterable[Path]) -> Sizes:
    """The state of every file that a run is read from; one that is missing just now has none."""
    found: Sizes = {}
    for file in _list_files(paths):
        try:
            state = os.stat(file)
        except OSError:
            continue
        found[file] = (state.st_mtime_ns, state.st_size, state.st_ino)
    return found


def find_newest(sizes: Sizes) -> float:
    """When the last of the files was changed, in seconds since the epoch; 0 where there is none."""
    return max((changed for changed, _, _ in sizes.values()), default=0) / 1e9


def was_restarted(before: Sizes, after: Sizes) -> bool:
    """Whether one of the files lost most of what it held."""
    return any(
        file in after and after[file][1] < BEGUN_ANEW * size
        for file, (_, size, _) in before.items()
        if not file.endswith(("-wal", *DATABASES))  # their size says little of what they hold
    )


def _list_files(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        if path.is_dir():
            for folder, _, names in os.walk(path):
                yield from (os.path.join(folder, name) for name in names)
            continue
        yield str(path)
        if path.suffix in DATABASES:
            yield f"{path}-wal"
