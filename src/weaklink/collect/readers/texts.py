"""Texts of any data set, row by row: all of a training row, or the question of an evaluation item.

JSON Lines, JSON, Parquet and plain text (one item a line), alone or as the files of a folder. What the fields are
called matters only for the question of an item; of a training row every text counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from weaklink.base.errors import EmptyLog, NoReader
from weaklink.collect.readers._files import TextSource, clean, format_count, make_natural_key
from weaklink.collect.readers.samples import json_rows, parquet
from weaklink.collect.readers.samples.names import EVALUATION, NESTED, TRAINING, find_field, find_side

LINES, WHOLE, TABLE, PLAIN = (".jsonl", ".ndjson"), (".json",), (".parquet", ".pq"), (".txt", ".text")
KNOWN = (*LINES, *WHOLE, *TABLE, *PLAIN, ".jsonl.gz", ".json.gz")
IDENTITY = ("id", "item", "task_id", "question_id", "doc_id", "unique_id", "index", "name")
QUESTION = (
    *("question", "problem", "prompt", "input", "instruction", "query", "messages", "conversations"),
    *("text", "content", "completion"),
)
ASKS = ("user", "human", "")


class TextItem(NamedTuple):
    """One row: its name, its place and its texts."""

    name: str
    place: str
    texts: tuple[str, ...]


class TextRows:
    """The rows of a file or folder, read as they are asked for; `faulty` counts the rows that are none.

    Args:
        path: the file or folder.
        shared: whether it holds both training data and evaluation items, so that each row's split says which it is.
    """

    def __init__(self, path: str | Path, *, shared: bool = False) -> None:
        self.path = Path(path)
        self.shared = shared
        self.files = _find_files(self.path)
        self.rows = 0
        self.faulty = 0
        self.first_fault = ""

    def training(self) -> Iterator[TextItem]:
        """Every row with all its texts."""
        for name, place, row in self._rows(TRAINING):
            yield TextItem(name, place, tuple(_walk_texts(row)))

    def questions(self) -> Iterator[TextItem]:
        """Every row with its question alone: the answer is not what tells an item from another."""
        for name, place, row in self._rows(EVALUATION):
            yield TextItem(name, place, _extract_question(row))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was passed over."""
        if not self.faulty:
            return ()
        return (f"{format_count(self.faulty, 'row')} of {clean(self.path)} left out: {self.first_fault}",)

    def _rows(self, side: str) -> Iterator[tuple[str, str, Any]]:
        several = len(self.files) > 1
        found = False
        for file in self.files:
            where = f"{file.name} row" if several else "row"
            for number, row in self._of(file):
                self.rows += 1
                if not self.shared or find_side(_find_split(row) or (file.stem if several else "")) == side:
                    found = True
                    yield _find_name(row, number), f"{where} {number}", row
        if self.rows and not found:
            raise EmptyLog(
                f"{clean(self.path)} was given for training data and for evaluation items, and no row of it has a "
                f"`split` that says {side}. Give each row a `split` of train or test, or two files."
            )
        if not self.rows:
            why = f": {self.first_fault}" if self.first_fault else ""
            raise EmptyLog(f"{clean(self.path)} holds no rows{why}. Give a file with one item a line.")

    def _of(self, file: Path) -> Iterator[tuple[int, Any]]:
        if file.suffix.lower() in TABLE:
            yield from parquet.read_batches(file)
        elif file.suffix.lower() in PLAIN:
            yield from _read_plain(file)
        else:
            for place, row in json_rows.rows(file):
                if isinstance(row, Exception):
                    self._fault(f"row {place}: {row}")
                else:
                    yield place, row

    def _fault(self, told: str) -> None:
        self.faulty += 1
        self.first_fault = self.first_fault or told


def open_texts(path: str | Path, *, shared: bool = False) -> TextRows:
    """The texts of a file or folder; `shared` where training data and evaluation items are told by their `split`.

    Raises:
        NoReader: there is no such path, or nothing in it holds texts.
    """
    return TextRows(path, shared=shared)


def _find_files(path: Path) -> list[Path]:
    if path.is_dir():
        found = [each for each in path.iterdir() if _fits(each)] or [each for each in path.rglob("*") if _fits(each)]
        if found:
            return sorted(found, key=lambda each: make_natural_key(str(each)))
    elif path.is_file():
        if _fits(path):
            return [path]
    else:
        raise NoReader(f"{clean(path)} is no file and no folder. Check the path.")
    raise NoReader(f"No texts in {clean(path)}: looked for files that end with {', '.join(KNOWN)}.")


def _fits(path: Path) -> bool:
    return path.name.lower().endswith(KNOWN) and path.is_file()


def _read_plain(file: Path) -> Iterator[tuple[int, str]]:
    yield from ((number, line.strip()) for number, line in enumerate(TextSource(file).lines(), 1) if line.strip())


def _find_name(row: object, number: int) -> str:
    if isinstance(row, Mapping):
        for key in IDENTITY:
            if isinstance(row.get(key), str | int):
                return str(row[key])
    return str(number)


def _find_split(row: object) -> str:
    """The split that a row names, itself or in an object of it."""
    if not isinstance(row, Mapping):
        return ""
    inner = (row[name] for name in NESTED if isinstance(row.get(name), Mapping))
    told = (value for each in (row, *inner) for name, value in each.items() if find_field(str(name)) == "split")
    return next((value for value in told if isinstance(value, str)), "")


def _extract_question(row: object) -> tuple[str, ...]:
    if not isinstance(row, Mapping):
        return tuple(_walk_texts(row))
    for key in QUESTION:
        if row.get(key):
            asked = tuple(_extract_user_texts(row[key]))
            if asked:
                return asked
    longest = max(_walk_texts(row), key=len, default="")
    return (longest,) if longest else ()


def _extract_user_texts(value: object) -> Iterator[str]:
    """A text, or of a conversation what the user says."""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        for message in value:
            if str(message.get("role", message.get("from", ""))).lower() in ASKS:
                yield from _walk_texts(message.get("content", message.get("value", "")))
    else:
        yield from _walk_texts(value)


def _walk_texts(value: object) -> Iterator[str]:
    """Every text inside of a value."""
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _walk_texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _walk_texts(each)
