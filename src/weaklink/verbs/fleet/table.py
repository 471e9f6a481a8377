"""The runs of a fleet as a table, one row a run: Parquet, or JSON Lines where pyarrow is not installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from weaklink.adapters.tables.parquet import has_parquet, write_parquet
from weaklink.base.finding import Finding
from weaklink.verbs.fleet.summary import RunSummary
from weaklink.verbs.fleet.work import Judged
from weaklink.verbs.targets import Failure

PARQUET, JSON_LINES = "runs.parquet", "runs.jsonl"
CONFIG = "config."
"""What stands before the name of a setting in the name of its column."""
MOST_SETTINGS = 1000
"""Columns for settings; of more, those that most runs have."""

COLUMNS = {
    **dict.fromkeys(("target", "name", "verdict", "link", "code"), "text"),
    "step": "number",
    **dict.fromkeys(("level", "message", "framework", "algorithm", "environment", "seed"), "text"),
    **dict.fromkeys(("steps", "judged", "asked"), "number"),
    "metric": "text",
    **dict.fromkeys(("start", "best", "best_step", "final", "lowest"), "number"),
    **dict.fromkeys(("improved", "declined", "flat"), "switch"),
    "codes": "texts",
    "findings": "finding",
    "curve": "numbers",
    "seconds": "number",
    "error": "text",
}
"""The columns before those of the settings; `link`, `code` and `step` are those of the first break."""

FINDING = {
    **dict.fromkeys(("code", "name", "link", "level", "message"), "text"),
    "onset": "number",
    "confidence": "number",
    "consequence_of": "text",
}


def choose_file() -> str:
    """The name of the table: what can be written here."""
    return PARQUET if has_parquet() else JSON_LINES


def write_table(file: Path, judged: Sequence[Judged]) -> None:
    """Writes the table of a fleet, whole or not at all, in the place of one that was written before.

    Raises:
        OSError: it cannot be written.
    """
    settings = _choose_settings(judged)
    kinds = {**COLUMNS, **{CONFIG + name: kind for name, kind in settings.items()}}
    rows = (make_row(one, settings) for one in judged)
    beside = file.with_name(f".{file.name}.new")
    try:
        if file.name == PARQUET:
            write_parquet(beside, kinds, rows, {"finding": FINDING})
        else:
            _write_lines(beside, rows)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
    other = JSON_LINES if file.name == PARQUET else PARQUET
    file.with_name(other).unlink(missing_ok=True)  # what another installation wrote of an earlier time


def make_row(one: Judged, settings: Mapping[str, str]) -> dict[str, Any]:
    """A run, or what could not be read, under the names of the columns."""
    if isinstance(one, Failure):
        return {"target": one.target, "verdict": "unreadable", "error": one.message}
    diagnosis, peer, broke = one.diagnosis, one.peer, one.diagnosis.first_break
    row: dict[str, Any] = {
        "target": diagnosis.target,
        "name": peer.name,
        "verdict": diagnosis.verdict.value,
        "framework": diagnosis.framework,
        "algorithm": peer.algorithm,
        "environment": f"{peer.environment}-{peer.version}" if peer.version else peer.environment,
        "seed": peer.seed,
        "steps": diagnosis.steps,
        "judged": float(diagnosis.judged),
        "asked": float(diagnosis.asked),
        "metric": one.metric,
        "codes": [finding.code for finding in diagnosis.findings],
        "findings": [_make_finding(finding) for finding in diagnosis.findings],
        "curve": list(one.curve),
        "seconds": one.seconds,
    }
    if diagnosis.worst is not None:
        row["level"] = diagnosis.worst.word
    if broke is not None:
        first = next(finding for finding in diagnosis.findings if finding.code == broke.code)
        row |= {"link": broke.link.value, "code": broke.code, "step": broke.step, "message": first.message}
    if one.course is not None:
        row |= {name: value for name, value in msgspec.structs.asdict(one.course).items() if name in COLUMNS}
    return row | dict(_list_cells(one, settings))


def _list_cells(one: RunSummary, settings: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    for name, value in one.settings.items():
        kind = settings.get(name)
        if kind is not None:
            yield CONFIG + name, str(value) if kind == "text" else float(value) if kind == "number" else value


def _make_finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "link": finding.link.value if finding.link is not None else None,
        "level": finding.severity.word,
        "message": finding.message,
        "onset": finding.onset,
        "confidence": finding.confidence,
        "consequence_of": finding.consequence_of,
    }


def _choose_settings(judged: Iterable[Judged]) -> dict[str, str]:
    """The settings that have columns, each with what its values are: switches, numbers or texts."""
    kinds: dict[str, set[str]] = {}
    counted: Counter[str] = Counter()
    for one in judged:
        for name, value in one.settings.items() if isinstance(one, RunSummary) else ():
            kinds.setdefault(name, set()).add(_find_kind(value))
            counted[name] += 1
    chosen = sorted(name for name, _ in counted.most_common(MOST_SETTINGS))
    return {name: next(iter(kinds[name])) if len(kinds[name]) == 1 else "text" for name in chosen}


def _find_kind(value: object) -> str:
    if isinstance(value, bool):
        return "switch"
    return "number" if isinstance(value, int | float) and abs(value) < 2**1023 else "text"


def _write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with file.open("wb") as out:
        for row in rows:
            out.write(msgspec.json.encode({name: _make_finite(value) for name, value in row.items()}) + b"\n")


def _make_finite(value: object) -> object:
    """JSON has no numbers that are not finite; they are written as words, as everywhere in weaklink's JSON."""
    return str(value) if isinstance(value, float) and not isfinite(value) else value
