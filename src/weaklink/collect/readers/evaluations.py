"""From a path, a folder or a pattern to one party of a comparison: evaluations with their manifests, or runs."""

from __future__ import annotations

import glob
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import CorruptLog, EmptyLog, NoReader, TooLarge, UsageError
from weaklink.base.evidence.contrast import EvaluationEntry, EvaluationParty
from weaklink.base.evidence.fleet import LAST_PART, PeerRun, measure_ends
from weaklink.base.evidence.manifest import FILE, KIND, SCHEMA, SEED, Manifest
from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.limits import LONGEST_LINE, BoundedLines, read_bounded
from weaklink.collect.readers import discover
from weaklink.collect.readers._files import clean, format_count, make_natural_key, make_read_error
from weaklink.collect.readers._rows import flatten_numbers, is_step_name
from weaklink.collect.readers.raw import parse_number
from weaklink.collect.readers.texts import IDENTITY, LINES, QUESTION

ROW_SCORES = (
    *("score", "correct", "is_correct", "passed", "pass", "acc", "accuracy", "exact_match", "success", "gold"),
    *("human_score", "reward"),
)
NAMES = (*IDENTITY, *QUESTION)
"""What an item is known by: its name, else what it asks."""

MANIFESTS = f"{Path(FILE).stem}*.json"
MARKS = frozenset(("scores", "temperature", "pass_at_k", "prompt_template_hash", "split", "deterministic"))
ROWS, NAMELESS = "rows", "rows without a name"
ENVELOPE = frozenset(("weaklink", "kind", "schema"))


def read_party(word: str) -> EvaluationParty:
    """What a path, a folder or a pattern such as `runs/ppo_*` holds, as one side of a comparison.

    Raises:
        ReadError: there is nothing, or it cannot be read.
    """
    return make_party(word, [entry for path in find_party(word) for entry in read_entries(path)])


def find_party(word: str) -> list[str]:
    """The paths that a path, a folder or a pattern such as `runs/ppo_*` stands for.

    Raises:
        ReadError: there is nothing.
    """
    paths = [word] if os.path.lexists(word) else sorted(glob.glob(word, recursive=True), key=make_natural_key)
    if not paths:
        pattern = any(sign in word for sign in "*?[")
        cure = "nothing fits this pattern" if pattern else "there is no such file or folder"
        raise NoReader(f"Cannot compare {clean(word)}: {cure}. It was looked for from {os.getcwd()}.")
    return paths


def read_entries(path: str) -> tuple[EvaluationEntry, ...]:
    """The evaluations or runs that a path holds.

    Raises:
        ReadError: it cannot be read.
    """
    return tuple(_read_entries(Path(path)))


def make_party(word: str, entries: Sequence[EvaluationEntry]) -> EvaluationParty:
    """One side of a comparison, called by a word, of what its paths hold.

    Raises:
        ReadError: none of it has a score.
    """
    scored = tuple(entry for entry in entries if entry.manifest.scores or entry.is_run)
    if not scored:
        raise EmptyLog(
            f"{clean(word)} holds no score: give `scores` to weaklink.evaluation, or name a log with a return in it."
        )
    lost = len(entries) - len(scored)
    notes = (f"{format_count(lost, 'evaluation')} of {clean(word)} without a score left out",) if lost else ()
    return EvaluationParty(clean(word).rstrip("/") or "/", scored, notes)


def read_manifest(path: Path) -> Manifest:
    """Reads one evaluation back.

    Raises:
        ReadError: the file is none, or cannot be read.
    """
    content = _decode(path)
    if not _is_manifest(content):
        raise CorruptLog(f"{clean(path)} is no evaluation: it has no `scores` and no setting of one. {_CURE}")
    return _add_rows(_read_manifest(content, path), path)


_CURE = "Write it with weaklink.evaluation, or look at docs/compare.md for its fields."


def _read_entries(path: Path) -> Iterator[EvaluationEntry]:
    if path.is_dir():
        yield from _read_folder(path)
    elif path.suffix.lower() == ".json" and _is_manifest(_decode(path, strict=False)):
        yield EvaluationEntry(read_manifest(path))
    elif path.suffix.lower() in LINES and (kind := _detect_line_kind(path)):
        yield from _read_entry_lines(path) if kind == KIND else (EvaluationEntry(_read_rows(path)),)
    else:
        yield from _read_runs(path)


def _read_folder(folder: Path) -> Iterator[EvaluationEntry]:
    found = sorted(
        (each for each in folder.rglob(MANIFESTS) if each.is_file()), key=lambda each: make_natural_key(str(each))
    )
    if found:
        yield from (EvaluationEntry(read_manifest(each)) for each in found)
        return
    rows = _find_row_files(folder)
    if rows:
        yield from (EvaluationEntry(_read_rows(each)) for each in rows)
    else:
        yield from _read_runs(folder)


def _find_row_files(folder: Path) -> list[Path]:
    files = [each for each in folder.iterdir() if each.suffix.lower() in LINES and _detect_line_kind(each) == ROWS]
    return sorted(files, key=lambda each: make_natural_key(each.name))


def _read_runs(path: Path) -> Iterator[EvaluationEntry]:
    for found in discover(path):
        for file in found.paths:
            if file.suffix.lower() in LINES and file.is_file() and _detect_line_kind(file) == NAMELESS:
                raise _make_nameless_error(file, 1)
        for run in found.read():
            yield _make_entry(run)


def _make_entry(run: Run) -> EvaluationEntry:
    """A run as an evaluation by one seed, scored by the level at which each of its measures ends."""
    peer = PeerRun.of(run)
    measures = {name: run[name] for name in MEASURES if name in run.series}
    lost = {name: told for name, series in measures.items() if (told := _describe_loss(series))}
    ends = {name: measure_ends(series)[1] for name, series in measures.items() if name not in lost and len(series)}
    finals = {name: final for name, final in ends.items() if final is not None}
    manifest = Manifest(
        task=peer.environment,
        model=run.name,
        env_version=peer.version,
        seeds=(peer.seed,) if peer.seed else (),
        settings=dict(peer.protocol) if peer.evaluated else {},
        per=SEED,
        source=run.source,
    )
    return EvaluationEntry(manifest, peer, finals, lost)


def _describe_loss(series: Series) -> str:
    """From where on a series has no number any more, in words: then the level before it is not that of its end.

    Loggers write NaN where there is nothing to tell, so it counts once it stays for longer than the gaps before it and
    for as much of the series as its end is taken over.
    """
    bad = series.nonfinite
    if bad is None or bad.tail < 2 or bad.tail * LAST_PART < series.count:
        return ""
    if len(series) and bad.tail < 5 * (bad.count - bad.tail) / len(series):
        return ""
    return f"{bad.word} from step {bad.since:,.0f} on"


def _decode(path: Path, *, strict: bool = True) -> Any:
    try:
        return _decode_json(read_bounded(path, LONGEST_LINE, "An evaluation", "Give its rows as JSON Lines."))
    except TooLarge:
        if not strict:
            return None
        raise
    except OSError as error:
        raise make_read_error(path, error) from error
    except ValueError as error:
        if not strict:
            return None
        raise CorruptLog(f"{clean(path)} is no valid JSON: {error}. {_CURE}") from error


def _is_manifest(content: object) -> bool:
    if not isinstance(content, Mapping):
        return False
    return content.get("kind") == KIND or ("scores" in content and len(MARKS & set(content)) > 1)


def _read_manifest(content: Mapping[str, Any], path: Path) -> Manifest:
    schema = content.get("schema", SCHEMA)
    if not isinstance(schema, int) or schema > SCHEMA:
        raise CorruptLog(f"{clean(path)} is of a newer schema ({schema}) than this weaklink knows. Update weaklink.")
    stated = {str(name): value for name, value in content.items() if name not in ENVELOPE}
    try:
        return Manifest.of(**{**stated, "source": clean(path)})
    except UsageError as error:
        raise CorruptLog(f"{clean(path)}: {error}") from error


def _add_rows(manifest: Manifest, path: Path) -> Manifest:
    """A manifest without scores takes those of the rows beside it."""
    if manifest.scores:
        return manifest
    rows = _find_row_files(path.parent)
    if len(rows) != 1:
        return manifest
    return msgspec.structs.replace(manifest, scores=_read_scores(rows[0]), per="item")


def _detect_line_kind(path: Path) -> str:
    """What the first line is: an evaluation, the row of an item, or nothing of the kind."""
    try:
        with path.open("rb") as file:
            lines = (line for _, line in BoundedLines(file) if line is None or line.strip())
            first = _decode_json(next(lines, None) or b"null")
    except OSError as error:
        raise make_read_error(path, error) from error
    except ValueError:
        return ""
    if _is_manifest(first):
        return KIND
    if not isinstance(first, Mapping) or "step" in first or not any(key in first for key in ROW_SCORES):
        return ""
    if any(key in first for key in NAMES):
        return ROWS
    # a log has a counter, or measures of the training beside its score
    counted_or_measured = any(map(is_step_name, first)) or set(flatten_numbers(first)) - set(ROW_SCORES)
    return "" if counted_or_measured else NAMELESS


def _read_entry_lines(path: Path) -> Iterator[EvaluationEntry]:
    for _, content in _read_lines(path):
        if _is_manifest(content):
            yield EvaluationEntry(_read_manifest(content, path))


def _read_rows(path: Path) -> Manifest:
    """Rows with a score each; how they came about stands in the manifest beside them, where there is one."""
    beside = path.parent / FILE
    scores = _read_scores(path)
    if beside.is_file():
        stated = _read_manifest(_decode(beside), beside)
        return msgspec.structs.replace(stated, scores=scores, per="item", source=clean(path))
    return Manifest(scores=scores, source=clean(path))


def _read_scores(path: Path) -> dict[str, tuple[float, ...]]:
    tries: dict[str, list[float]] = {}
    for number, row in _read_lines(path):
        name = _find_name(row)
        if not name:
            raise _make_nameless_error(path, number)
        value = next((row[key] for key in ROW_SCORES if isinstance(row.get(key), int | float | bool)), None)
        if value is None:
            raise CorruptLog(
                f"{clean(path)}, row {number}: a score must be a number under {', '.join(ROW_SCORES[:4])}."
            )
        score = parse_number(value)
        if score is None or not math.isfinite(score):
            raise CorruptLog(
                f"{clean(path)}, row {number}: its score must be a finite number, not {str(value)[:40]}. Leave out "
                "what was not scored, and score a failed try as 0."
            )
        tries.setdefault(name, []).append(score)
    return {name: tuple(scores) for name, scores in tries.items()}


def _find_name(row: Mapping[str, Any]) -> str:
    """What a row calls its item, else what it asks: a text, or the messages of a chat."""
    for key in NAMES:
        value = row.get(key)
        if isinstance(value, str | int):
            return str(value)
        if value and isinstance(value, list | dict):
            return json.dumps(value, sort_keys=True)
    return ""


def _make_nameless_error(path: Path, number: int) -> CorruptLog:
    return CorruptLog(
        f"{clean(path)}, row {number}: an item must have an `id` beside its score, so that it can be compared with the "
        "same item elsewhere. Add one to each row, or a `step` where this is the log of a training."
    )


def _decode_json(content: bytes) -> Any:
    """Decodes JSON, and also NaN and Infinity as Python writes them: which value is none is for the caller to tell."""
    try:
        return msgspec.json.decode(content)
    except (msgspec.MsgspecError, RecursionError) as error:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise ValueError(str(error)) from error


def _read_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Every row with the number of its line."""
    try:
        with path.open("rb") as file:
            for number, line in BoundedLines(file):
                if line is None:
                    raise TooLarge(
                        f"A row may have {LONGEST_LINE:,} bytes at most: row {number} of {clean(path)} has more. "
                        "Mend or remove this line."
                    )
                if not line.strip():
                    continue
                row = _decode_json(line)
                if not isinstance(row, Mapping):
                    raise CorruptLog(f"{clean(path)}, row {number}: a row must be an object, not {row!r}.")
                yield number, row
    except OSError as error:
        raise make_read_error(path, error) from error
    except ValueError as error:
        raise CorruptLog(f"{clean(path)}, row {number}: it is no JSON ({error}). Mend or remove this line.") from error
