"""Files of completions and trajectories to samples, a row at a time: JSON Lines, JSON, Parquet, folders of them.

`open_samples` gives `SampleRows`, which yield samples and remember what was wrong with the rows that are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from weaklink.base.errors import NoReader, ReadError, UsageError
from weaklink.base.evidence.samples import Sample
from weaklink.collect.readers._files import clean, format_count, is_file
from weaklink.collect.readers.samples import json_rows, parquet
from weaklink.collect.readers.samples.layouts import RowArranger
from weaklink.collect.readers.samples.names import BODIES, find_side
from weaklink.collect.readers.samples.numbers import FaultyRow
from weaklink.collect.readers.samples.rows import RowTranslator
from weaklink.collect.readers.samples.tree import find_sample_files

MOST_FAULTS = 20
_NUMBERED = re.compile(
    r"(?:.*(?:step|iter|iteration|epoch|ckpt|checkpoint|update|rollouts?|completions|batch)[-_=]?)?(\d+)", re.IGNORECASE
)
"""The names of files that a training wrote one after the other: a number alone, or after a word for its clock."""


class SampleRows:
    """The samples of a file or folder, read while they are iterated over.

    After the iteration `faulty` counts the rows that are no samples, `faults` says what was wrong with the first of
    them, `unknown` names the fields that were not used, `named` those that go by another name, and `notes` tells what
    else had to be done.
    """

    def __init__(self, path: Path, files: list[Path]) -> None:
        self.path = path
        self.files = files
        self.count = 0
        self.faulty = 0
        self.faults: list[str] = []
        self.notes: list[str] = []
        self.named: dict[str, str] = {}
        self._unknown: dict[str, None] = {}
        self._clock = _number_files(files)

    @property
    def source(self) -> str:
        """Where the rows come from, as text."""
        return clean(self.path)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Fields that are no part of a sample."""
        return tuple(self._unknown)

    def __iter__(self) -> Iterator[Sample]:
        self.count = self.faulty = 0
        self.faults.clear()
        self.notes.clear()
        for file in self.files:
            before = self.count
            try:
                yield from self._samples(file)
            except ReadError as error:
                if len(self.files) == 1 and not self.count:
                    raise
                self.notes.append(str(error))
            if self.count == before and len(self.files) > 1:
                self.notes.append(f"{self._name(file)} holds no samples")
        if not self.count:
            raise self._empty()

    def _samples(self, file: Path) -> Iterator[Sample]:
        read = parquet if parquet.handles(file) else json_rows
        components = read.components(file)
        translator, arranger = RowTranslator(components), RowArranger(components)
        several, split = len(self.files) > 1, find_side(file.stem)
        try:
            for place, row in arranger.arrange(read.rows(file)):
                try:
                    if isinstance(row, Exception):
                        raise FaultyRow(str(row))
                    sample = translator.sample(row)
                except FaultyRow as error:
                    self._note(file, place, error)
                    continue
                if several and not sample.split:
                    sample.split = split
                if self._clock and sample.step is None and sample.policy_version is None:
                    sample.step = self._clock[file]
                    self._say_once("training steps are taken from the names of the files: no row gives one")
                self.count += 1
                yield sample
        finally:
            self._unknown.update(translator.unknown)
            self.named |= translator.named
            for name in read.passed_over(file):
                self._unknown[name] = None
        if translator.taken:
            self._say_once(f"completions are taken from the field {clean(translator.taken)}: no other can be them")
        if arranger.guessed:
            told = ", ".join(f"{clean(name)} ({field})" for name, field in arranger.guessed.items())
            self._say_once(f"fields are known by what they hold: {told}")
        if arranger.joined:
            self._say_once("each row is one step of an environment: those of an episode are one trajectory")
        if translator.summed:
            self._say_once("the reward is the sum of its components: no row gives it as a whole")

    def _note(self, file: Path, place: int, error: FaultyRow) -> None:
        self.faulty += 1
        if len(self.faults) < MOST_FAULTS:
            where = f"{self._name(file)}, row {place}" if len(self.files) > 1 else f"row {place}"
            self.faults.append(f"{where}: {error}")

    def _say_once(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _name(self, file: Path) -> str:
        return clean(file.relative_to(self.path) if self.path.is_dir() else file.name)

    def _empty(self) -> UsageError:
        found = f"{format_count(self.faulty, 'row')}, the first: {self.faults[0]}" if self.faults else "no row"
        return UsageError(
            f"A sample needs one of the fields {', '.join(BODIES)} (or another tool's name for it). "
            f"{self.source} holds {found}. Give a JSON Lines, JSON or Parquet file of such rows; see docs/samples.md."
        )


def open_samples(path: str | Path) -> SampleRows:
    """Opens a file of samples, or a folder of such files; nothing is read before the rows are iterated over.

    Raises:
        ReadError: there is no such path, or nothing in the folder looks like samples.
    """
    place = Path(path)
    if is_file(place):
        return SampleRows(place, [place])
    try:
        found = place.is_dir()
    except (OSError, ValueError):
        found = False
    if not found:
        raise NoReader(f"There is no file or folder {clean(place)}. Give the path of a file of samples.")
    files = find_sample_files(place)
    if not files:
        raise NoReader(
            f"No samples below {clean(place)}: looked for *.jsonl, *.json and *.parquet whose rows have one of "
            f"{', '.join(BODIES)}. Give the file or folder that holds them, such as a TRL run's completions/."
        )
    return SampleRows(place, files)


def _number_files(files: list[Path]) -> dict[Path, float]:
    """The step that the name of each file gives; none unless all have different ones."""
    found = [_NUMBERED.fullmatch(file.name.partition(".")[0]) for file in files]
    numbers = {file: float(match.group(1)) for file, match in zip(files, found, strict=True) if match}
    return numbers if len(files) > 1 and len(set(numbers.values())) == len(files) else {}


def make_sample(row: object) -> Sample:
    """The sample that one row holds, for callers that have rows already.

    Raises:
        UsageError: it holds none.
    """
    try:
        return RowTranslator().sample(row)
    except FaultyRow as error:
        raise UsageError(f"This row is no sample: {error}. See docs/samples.md for the fields.") from None


__all__ = ["SampleRows", "make_sample", "open_samples"]
