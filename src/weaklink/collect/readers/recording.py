"""weaklink's own recordings: a folder with `weaklink.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from weaklink.adapters.dialects import load_dialect
from weaklink.base.evidence import store
from weaklink.base.evidence.gaps import Gap, add_gap, parse_gap
from weaklink.base.evidence.lines import LineDamage
from weaklink.base.evidence.ranks import MOST_LOOKS, RankLook, parse_look
from weaklink.base.evidence.snapshots import Snapshots
from weaklink.base.evidence.surveyed import SurveyedEnvironment, parse_surveyed
from weaklink.base.finding import Finding, decode_finding, is_proof
from weaklink.collect.readers._files import read_head
from weaklink.collect.readers._memory import NO_MEMORY, ReadingMemory
from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers.raw import RawLog

NAME = "weaklink recording"
LOOKS_FOR = store.FILE


class RecordedLog(RawLog):
    """A recording; its keys are the vocabulary already, so the framework that was recorded stands apart.

    `proven` holds the first finding of each rule that judged inside of the loop, `checked` the codes that were clean;
    `gaps` are the stretches in which nothing was measured, `context` is what it was begun with, `snapshots` are the
    pictures among its rows, `looks` those at a rank of several, `surveyed` what a survey of the environment found, and
    `damage` counts the lines that could not be read.
    """

    recorded_framework: str = ""
    proven: dict[str, Finding] = msgspec.field(default_factory=dict)
    checked: dict[str, None] = msgspec.field(default_factory=dict)
    gaps: list[Gap] = msgspec.field(default_factory=list)
    context: dict[str, Any] = msgspec.field(default_factory=dict)
    snapshots: Snapshots = msgspec.field(default_factory=Snapshots)
    damage: LineDamage = msgspec.field(default_factory=LineDamage)
    looks: dict[tuple[int, int], RankLook] = msgspec.field(default_factory=dict)
    readings: list[tuple[str, ...]] = msgspec.field(default_factory=list)
    began: Any = None
    surveyed: SurveyedEnvironment | None = None


def handles(path: Path) -> bool:
    """Whether the file starts with the header of a recording."""
    return path.name == store.FILE or read_head(path, 64).startswith(b'{"weaklink":')


class RecordingReading(msgspec.Struct):
    """A recording that is being read: the log so far, its rows, and its header."""

    log: RecordedLog
    rows: LogRows
    header: dict[str, Any] = msgspec.field(default_factory=lambda: {"config": {}, "context": {}})

    def take(self, line: Mapping[str, Any]) -> None:
        """Takes one more line."""
        row = self.log.damage.parse_row(line)
        if row is not None:
            self.rows.add(row["metrics"], row["step"], row["time"])
            return
        store.add_to_header(self.header, line)
        take_proof(self.log, line)
        take_look(self.log, line)
        self.log.surveyed = parse_surveyed(line) or self.log.surveyed
        self.log.snapshots.take(line)


def read(paths: Sequence[Path], memory: ReadingMemory = NO_MEMORY) -> list[RawLog]:
    """Reads a recording as it was written, from where it was read to the last time."""
    path = paths[0]
    fresh = RecordedLog(source=str(path))
    start, reading = memory.recall(path, RecordingReading) or (0, RecordingReading(fresh, LogRows(fresh)))
    log = reading.log

    def keep(place: int) -> None:
        if reading.rows.settle():
            memory.keep(path, place, reading)

    for line in store.read_lines(path, log.damage, start, keep):
        reading.take(line)
    store.check_schema(reading.header, path)
    describe(log, reading.header)
    for line in (line for other in paths[1:] for line in store.read_lines(other, log.damage)):
        reading.take(line)
    reading.rows.flush()
    put_known_first(log)
    log.notes.extend(log.damage.notes)
    return [log]


def take_proof(log: RecordedLog, line: Mapping[str, Any]) -> None:
    """Takes what a line tells of the checks inside of the loop and of what was left out; the monitor's patterns and
    broken lines are passed over."""
    found, checked, gap = line.get("finding"), line.get("checked"), parse_gap(line.get("gap"))
    if isinstance(found, dict) and is_proof(found.get("code")):
        finding = decode_finding(found)
        if finding is not None:
            known = log.proven.setdefault(finding.code, finding)
            if finding.severity > known.severity:  # it was told again when it became an error
                log.proven[finding.code] = finding
    if gap is not None:
        add_gap(log.gaps, gap)
    if isinstance(checked, dict) and isinstance(checked.get("code"), str):
        log.checked.setdefault(checked["code"])
    left = line["reading"].get("left") if isinstance(line.get("reading"), dict) else None
    if isinstance(left, list) and len(log.readings) < MOST_LOOKS:
        log.readings.append(tuple(str(each) for each in left))


def take_look(log: RecordedLog, line: Mapping[str, Any]) -> None:
    """Takes a look at a rank; those of a training that was recorded here before are let go when another begins."""
    context = line.get("context")
    began = context.get("started") if isinstance(context, dict) else None
    if began is not None and began != log.began:
        log.looks.clear()
        log.began = began
    look = parse_look(line)
    if look is not None and len(log.looks) < MOST_LOOKS:
        log.looks[look.key] = look


def describe(log: RecordedLog, opened: Mapping[str, Any]) -> None:
    """Fills in what the header of a recording tells of the run."""
    context = opened["context"]
    notes = context.get("notes")
    log.name = str(context.get("name") or "")
    log.context = dict(context)
    log.config = {**_read_evaluation_protocol(context), **opened["config"]}
    log.notes[:0] = [str(note) for note in notes] if isinstance(notes, list) else []
    log.framework = "weaklink"
    log.recorded_framework = str(context.get("framework") or "")


def _read_evaluation_protocol(context: Mapping[str, Any]) -> dict[str, Any]:
    """How a monitor was told that the policy is evaluated, under names that tell it from how it is trained."""
    told = context.get("evaluation")
    return {f"evaluation.{name}": value for name, value in told.items()} if isinstance(told, dict) else {}


def put_known_first(log: RecordedLog) -> None:
    """Puts the metrics of the vocabulary before keys that only mean the same."""
    vocabulary = load_dialect("weaklink")
    log.columns = dict(sorted(log.columns.items(), key=lambda column: vocabulary.alias(column[0]) is None))
