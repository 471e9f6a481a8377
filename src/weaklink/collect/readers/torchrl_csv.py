"""The folder that TorchRL's CSVLogger writes: `scalars/<tag>.csv`, two columns without a header."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from weaklink.collect.readers._files import TextSource, clean, format_count, make_natural_key, read_head
from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers.raw import RawLog, make_key_printable, parse_number

NAME = "TorchRL CSV logger"
LOOKS_FOR = "scalars/*.csv"

MOST_FILES = 10_000


def handles(path: Path) -> bool:
    """Whether the folder holds a folder of scalars, or the file is one of them."""
    try:
        if path.is_dir():
            return not _locate_scalars(path).is_symlink() and any(
                _is_scalar(file) for file in _find_tables(_locate_scalars(path))
            )
        return path.suffix == ".csv" and "scalars" in path.parts[:-1] and _is_scalar(path)
    except (OSError, ValueError):
        return False


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads every scalar of the experiment, and the hyper-parameters logged as text."""
    log = RawLog(source=str(paths[0]), framework="torchrl")
    for path in paths:
        if path.is_file():
            _read_scalar(path, _make_tag(path), log)
            continue
        scalars = _locate_scalars(path)
        for file in _find_tables(scalars):
            _read_scalar(file, file.relative_to(scalars).with_suffix("").as_posix(), log)
        for text in sorted((scalars.parent / "texts").glob("hparams*.txt")):
            _read_settings(text, log)
    return [log]


def _locate_scalars(folder: Path) -> Path:
    return folder if folder.name == "scalars" else folder / "scalars"


def _find_tables(scalars: Path) -> Iterator[Path]:
    """The tables below the folder of scalars, links left alone."""
    found = []
    for place, _, names in os.walk(scalars):
        found += [Path(place, name) for name in names if name.endswith(".csv") and not Path(place, name).is_symlink()]
        if len(found) > MOST_FILES:
            break
    return iter(sorted(found, key=lambda file: make_natural_key(str(file))))


def _is_scalar(path: Path) -> bool:
    cells = read_head(path, 256).partition(b"\n")[0].split(b",")
    return len(cells) == 2 and all(parse_number(cell.decode("utf-8", "replace")) is not None for cell in cells)


def _make_tag(path: Path) -> str:
    parts = path.with_suffix("").parts
    last = (
        max(index for index, part in enumerate(parts[:-1]) if part == "scalars")
        if "scalars" in parts[:-1]
        else len(parts) - 2
    )
    return "/".join(parts[last + 1 :])


def _read_scalar(path: Path, tag: str, log: RawLog) -> None:
    rows = LogRows(log)
    key = make_key_printable(clean(tag))
    damaged = 0
    lines = TextSource(path).lines()
    for line in lines:
        cells = [parse_number(cell) for cell in line.split(",")]
        if len(cells) == 2 and cells[0] is not None and cells[1] is not None:
            rows.add({key: cells[1]}, cells[0])
        else:
            damaged += bool(line.strip())
    rows.flush()
    if damaged:
        log.notes.append(f"{clean(path.name)}: {format_count(damaged, 'cut off or damaged line')} left out")


def _read_settings(path: Path, log: RawLog) -> None:
    if path.is_symlink():
        return
    for line in TextSource(path).opening.splitlines():
        key, colon, value = line.partition(": ")
        if colon:
            log.config.setdefault(key.strip(), value.strip())
