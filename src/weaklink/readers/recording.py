"""weaklink's own recordings: a folder with `weaklink.jsonl`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weaklink.evidence import store
from weaklink.evidence.dialects import dialect
from weaklink.readers._files import head
from weaklink.readers._rows import Rows
from weaklink.readers.raw import RawLog

NAME = "weaklink recording"
LOOKS_FOR = store.FILE


@dataclass
class Recorded(RawLog):
    """A recording; its keys are the vocabulary already, so the framework that was recorded stands apart."""

    recorded_framework: str = ""


def handles(path: Path) -> bool:
    """Whether the file starts with the header of a recording."""
    return path.name == store.FILE or head(path, 64).startswith(b'{"weaklink":')


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads a recording as it was written."""
    opened = store.header(paths[0])
    context = opened["context"]
    notes = context.get("notes")
    log = Recorded(
        name=str(context.get("name") or ""),
        source=str(paths[0]),
        config=opened["config"],
        notes=[str(note) for note in notes] if isinstance(notes, list) else [],
        framework="weaklink",
        recorded_framework=str(context.get("framework") or ""),
    )
    rows = Rows(log)
    for path in paths:
        for row in store.rows(path):
            rows.add(row["metrics"], row["step"], row["time"])
    rows.flush()
    vocabulary = dialect("weaklink")
    log.columns = dict(sorted(log.columns.items(), key=lambda column: vocabulary.alias(column[0]) is None))
    return [log]
