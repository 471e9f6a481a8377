"""weaklink's own recordings: a folder with `weaklink.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weaklink.adapters.dialects import load_dialect
from weaklink.base.evidence import store
from weaklink.base.evidence.gaps import Gap, add_gap, parse_gap
from weaklink.base.evidence.lines import LineDamage
from weaklink.base.evidence.ranks import MOST_LOOKS, RankLook, parse_look
from weaklink.base.evidence.snapshots import Snapshots
from weaklink.base.evidence.surveyed import SurveyedEnvironment, parse_surveyed
from weaklink.base.finding import Finding, decode_finding, is_proof
from weaklink.collect.readers._files import read_head
from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers.raw import RawLog

NAME = "weaklink recording"
LOOKS_FOR = store.FILE


@dataclass
class RecordedLog(RawLog):
    """A recording; its keys are the vocabulary already, so the framework that was recorded stands apart.

    `proven` holds the first finding of each rule that judged inside of the loop, `checked` the codes that were clean;
    `gaps` are the stretches in which nothing was measured, `context` is what it was begun with, `snapshots` are the
    pictures among its rows, `looks` those at a rank of several, `surveyed` what a survey of the environment found, and
    `damage` counts the lines that could not be read.
    """

    recorded_framework: str = ""
    proven: dict[str, Finding] = field(default_factory=dict)
    checked: dict[str, None] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    context: dict[str, Any] = field(default_factory=dict)
    snapshots: Snapshots = field(default_factory=Snapshots)
    damage: LineDamage = field(default_factory=LineDamage)
    looks: dict[tuple[int, int], RankLook] = field(default_factory=dict)
    readings: list[tuple[str, ...]] = field(default_factory=list)
    began: Any = None
    surveyed: SurveyedEnvironment | None = None


def handles(path: Path) -> bool:
    """Whether the file starts with the header of a recording."""
    return path.name == store.FILE or read_head(path, 64).startswith(b'{"weaklink":')


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads a recording as it was written."""
    log = RecordedLog(source=str(paths[0]))
    describe(log, store.read_header(paths[0]))
    rows = LogRows(log)
    for path in paths:
        for line in store.read_lines(path, log.damage):
            row = log.damage.parse_row(line)
            if row is not None:
                rows.add(row["metrics"], row["step"], row["time"])
            else:
                take_proof(log, line)
                take_look(log, line)
                log.surveyed = parse_surveyed(line) or log.surveyed
                log.snapshots.take(line)
    rows.flush()
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
            log.proven.setdefault(finding.code, finding)
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
    log.notes = [str(note) for note in notes] if isinstance(notes, list) else []
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
