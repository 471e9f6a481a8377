"""A recording that is read on from where the last reading ended, however long it has become."""

from __future__ import annotations

import os
from copy import deepcopy
from typing import Any

from weaklink.base.errors import ReadError
from weaklink.base.evidence import store
from weaklink.base.evidence.run import Run
from weaklink.base.limits import LONGEST_LINE
from weaklink.collect.readers._assembly import make_run
from weaklink.collect.readers._files import clean, make_read_error
from weaklink.collect.readers._formats import FoundRun, RunFiles
from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers.recording import RecordedLog, describe, put_known_first, take_proof

BLOCK = 1 << 20
OPENING = 256


def is_growing(found: FoundRun) -> bool:
    """Whether a run is one recording, so that it can be read on."""
    return found.formats == ("recording",) and found.files is not None and len(found.files.parts["recording"]) == 1


class GrowingRecording:
    """One recording, followed: `take` reads what was added, `run` makes the run of all that was taken.

    `told` lists the codes of the findings that the run itself has written. `restarts` counts how often the file was
    begun anew: it was cut off, replaced, or another recording stands there.
    """

    def __init__(self, found: FoundRun) -> None:
        self.path = found.paths[0]
        self.restarts = 0
        self._name = found.name
        named_by_file = found.source == clean(self.path)
        self._files = RunFiles(self.path.parent, {"recording": [self.path]}, self.path if named_by_file else None)
        self._begin()

    def take(self) -> None:
        """Reads what was added since the last call.

        Raises:
            ReadError: the file cannot be opened, or is of a newer format.
        """
        try:
            with self.path.open("rb") as file:
                self._check_opening(file.read(OPENING), os.fstat(file.fileno()).st_size)
                file.seek(self._offset)
                while block := file.read(BLOCK):
                    self._offset += len(block)
                    self._split(block)
        except OSError as error:
            raise make_read_error(self.path, error) from error
        store.check_schema(self._header, self.path)

    def run(self) -> Run:
        """The run so far.

        Raises:
            ReadError: it holds no number yet.
        """
        self._rows.flush()
        log = deepcopy(self._log)  # building a series closes its last bucket, and this one is to grow on
        describe(log, deepcopy(self._header))
        log.notes.extend(log.damage.notes)
        put_known_first(log)
        try:
            return make_run(log, self._name, self._files)
        except ReadError as error:
            raise type(error)(clean(str(error))) from error

    def _begin(self) -> None:
        self._offset = 0
        self._opening = self._rest = b""
        self._overlong = False
        self._header: dict[str, Any] = {"config": {}, "context": {}}
        self._log = RecordedLog(source=str(self.path))
        self._rows = LogRows(self._log)
        self.told: list[str] = []

    def _check_opening(self, opening: bytes, size: int) -> None:
        if size < self._offset or not opening.startswith(self._opening):
            self._begin()
            self.restarts += 1
        self._opening = opening

    def _split(self, block: bytes) -> None:
        *whole, rest = block.split(b"\n")
        for line in whole:
            if not self._overlong:
                self._line(self._rest + line)
            self._overlong, self._rest = False, b""
        self._rest += b"" if self._overlong else rest
        if len(self._rest) > LONGEST_LINE:
            self._log.damage.decode(None)
            self._overlong, self._rest = True, b""

    def _line(self, content: bytes) -> None:
        line = self._log.damage.decode(content)
        if line is None:
            return
        row = self._log.damage.parse_row(line)
        if row is not None:
            self._rows.add(row["metrics"], row["step"], row["time"])
            return
        if isinstance(line.get("finding"), dict):
            self.told.append(str(line["finding"].get("code")))
        take_proof(self._log, line)
        self._log.snapshots.take(line)
        store.add_to_header(self._header, line)
