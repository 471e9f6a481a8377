"""The files of one run read, merged and made a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from weaklink.base.errors import CorruptLog, EmptyLog, ReadError, WeaklinkError
from weaklink.base.evidence.run import Run
from weaklink.collect.readers import _layout
from weaklink.collect.readers._files import clean, make_read_error
from weaklink.collect.readers._formats import ALONE, APPENDED, READERS, RunFiles
from weaklink.collect.readers._layout import SETTINGS
from weaklink.collect.readers._memory import NO_MEMORY, ReadingMemory
from weaklink.collect.readers.raw import RawLog, assemble


def assemble_runs(files: RunFiles, name: str, memory: ReadingMemory = NO_MEMORY) -> list[Run]:
    """The runs that these files hold: one, or those of a database. Files that grow are read on from what is known.

    Raises:
        ReadError: none of the files could be read, or none holds a number.
    """
    try:
        return _assemble(files, name, memory)
    except ReadError as error:
        raise type(error)(clean(str(error))) from error


def make_printable(log: RawLog) -> None:
    """Marks the half characters in what the log says and knows, which no terminal and no JSON file would take."""
    log.notes = [clean(note) for note in log.notes]
    log.config = {clean(key): _clean_values(value) for key, value in log.config.items()}


def _clean_values(value: object) -> Any:
    if isinstance(value, str):
        return clean(value)
    return {clean(str(key)): _clean_values(part) for key, part in value.items()} if isinstance(value, dict) else value


def _assemble(files: RunFiles, name: str, memory: ReadingMemory) -> list[Run]:
    logs = _read_logs(files, memory)
    if len(logs) > 1 and files.formats <= set(ALONE):
        prefix = f"{name}/" if name else ""
        return [make_run(log, prefix + (log.name or str(index)), files) for index, log in enumerate(logs)]
    merged = logs[0]
    for log in logs[1:]:
        merged.absorb(log)
    return [make_run(merged, name or merged.name, files)]


def _read_logs(files: RunFiles, memory: ReadingMemory) -> list[RawLog]:
    """What each reader finds, the most trusted one first; a reader that fails is a remark if another one does not."""
    logs: list[RawLog] = []
    failures: list[ReadError] = []
    for name in READERS:
        if name in files.parts:
            try:
                logs.extend(_read(name, files.parts[name], memory))
            except ReadError as error:
                failures.append(error)
    for folder, events in files.tagged.items():
        try:
            logs.extend(_rename_by_tag(log, folder) for log in _read("tensorboard", events))
        except ReadError as error:
            failures.append(error)
    if not logs:
        raise failures[0] if failures else EmptyLog(_explain_empty(files))
    if "trainer_state" in files.parts and len(logs) > 1:
        logs = _put_longest_first(logs)
    logs[0].notes.extend(f"left out: {error}" for error in failures)
    return logs


def _read(name: str, paths: list[Path], memory: ReadingMemory = NO_MEMORY) -> list[RawLog]:
    """Calls one reader; whatever a damaged file makes it raise becomes a ReadError."""
    module = _layout.load_reader(name)
    try:
        if module is None:
            return []
        return list(module.read(paths, memory) if name in APPENDED and len(paths) == 1 else module.read(paths))
    except ReadError:
        raise
    except WeaklinkError as error:
        raise ReadError(str(error)) from error
    except OSError as error:
        raise make_read_error(Path(error.filename) if isinstance(error.filename, str) else paths[0], error) from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise CorruptLog(f"{clean(paths[0])} is damaged: {reason}. Copy it again from where it was trained.") from error


def _rename_by_tag(log: RawLog, folder: str) -> RawLog:
    """Renames what `add_scalars("loss", {"train": ...})` wrote into the folder `loss_train` to `loss/train`."""
    renamed = {}
    for key, column in log.columns.items():
        stem = key.replace("/", "_") + "_"
        renamed[f"{key}/{folder.removeprefix(stem)}" if folder.startswith(stem) else key] = column
    log.columns = renamed
    return log


def _put_longest_first(logs: list[RawLog]) -> list[RawLog]:
    """A trainer's events hold its log under `train/`, and go on after the last checkpoint."""
    for log in logs[1:]:
        log.columns = {key.removeprefix("train/"): column for key, column in log.columns.items()}
    state, *events = logs
    longest = max(events, key=_measure_length)
    if _measure_length(longest) <= _measure_length(state):
        return logs
    longest.framework, longest.axis = state.framework, state.axis
    return [longest, state, *(log for log in events if log is not longest)]


def _measure_length(log: RawLog) -> int:
    return max((len(column) for column in log.columns.values()), default=0)


def make_run(log: RawLog, name: str, files: RunFiles) -> Run:
    """The run that a log of these files makes, with the hyper-parameters beside them.

    Raises:
        EmptyLog: the log holds no number.
    """
    proven, checked = tuple(getattr(log, "proven", {}).values()), tuple(getattr(log, "checked", ()))
    if not any(map(len, log.columns.values())) and not proven and files.formats != {SETTINGS}:
        raise EmptyLog(_explain_empty(files))
    hyperparameters = _layout.load_reader(SETTINGS)
    if hyperparameters is not None and files.formats != {SETTINGS}:
        found = hyperparameters.find(files.folder)
        for key, value in found.values.items():
            log.config.setdefault(key, value)
        log.notes.extend(found.notes)
    tables = (path for path in files.passed_over if path.suffix.lower() in (".csv", ".tsv", ".jsonl"))
    log.notes.extend(f"passed over: {path.name} has no step and no metric that is known" for path in tables)
    log.name, log.source = clean(name), clean(files.place)
    make_printable(log)
    run = _scale_steps(assemble(log), files)
    ranks = None
    if files.ranks:
        from weaklink.collect.readers._ranks import load_ranks

        ranks, notes = load_ranks(log, run.series, files.ranks)
        run = replace(run, notes=(*run.notes, *notes))
    framework = getattr(log, "recorded_framework", "")
    return replace(
        run,
        framework=framework or run.framework,
        proven=proven,
        checked=checked,
        gaps=tuple(getattr(log, "gaps", ())),
        readings=tuple(getattr(log, "readings", ())),
        damaged_lines=damage.counts if (damage := getattr(log, "damage", None)) is not None else {},
        context=_clean_values(getattr(log, "context", {})),
        snapshots=getattr(log, "snapshots", None),
        ranks=ranks,
        surveyed=getattr(log, "surveyed", None),
    )


def _scale_steps(run: Run, files: RunFiles) -> Run:
    """Where fewer environments have a monitor than there were, their steps stand for those of all of them."""
    monitors, environments = len(files.parts.get("sb3_monitor", ())), run.config.number("environments")
    if not monitors or environments is None or environments <= monitors:
        return run
    share = environments / monitors
    stretched = {
        name: replace(series, steps=series.steps * share) if series.provenance.key.startswith("monitor/") else series
        for name, series in run.series.items()
    }
    note = f"monitor.csv is of {monitors} of {environments:g} environments: its steps were multiplied by {share:g}"
    return replace(run, series=stretched, notes=(*run.notes, note))


def _explain_empty(files: RunFiles) -> str:
    kinds = " and ".join(str(module.NAME) for name in files.parts if (module := _layout.load_reader(name)) is not None)
    return f"{clean(files.place)} holds no number ({kinds}). Train until a first row is logged, or name another run."
