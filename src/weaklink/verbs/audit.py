"""`audit`: samples read and gathered, the log beside them, the verifier tried, all judged together."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import msgspec

from weaklink.base.errors import UsageError, WeaklinkError
from weaklink.base.evidence.overlap import Overlap
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Sample, Samples
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.viewing import ViewedResult
from weaklink.collect.readers import read
from weaklink.collect.readers.samples import open_samples
from weaklink.collect.readers.samples.names import EVALUATION, TRAINING, find_side
from weaklink.collect.samples.curves import make_curves
from weaklink.collect.samples.gathering import gather
from weaklink.collect.samples.overlap import measure_overlap
from weaklink.collect.samples.tables import AttemptSummary, AuditTables, make_tables, summarise_attempts
from weaklink.judge.diagnosis.auditing import judge_samples
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.settings import RuleSettings

Path = str | os.PathLike[str]
Report = Callable[[str, int], None]
"""Told now and then what is being done, and how many rows were read."""

Stoppable = Callable[[], AbstractContextManager[Callable[[], bool]]]
"""Entered while rows are read; gives a function that says whether to stop."""

Verifier = str | Callable[..., object]
Cases = Path | Iterable[Mapping[str, Any]]

OFTEN = 1000
"""Rows between two reports."""


class AuditOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `weaklink.audit` is asked for; `output` is a file that will be written, and so must not be read."""

    samples: Path | Samples | None = None
    run: Path | Run | None = None
    baseline: Path | Samples | None = None
    verifier: Verifier | None = None
    cases: Cases | None = None
    style: str = "auto"
    seconds: float = 60.0
    seed: int = 0
    settings: RuleSettings = RuleSettings()
    output: str = ""


@dataclass(frozen=True, eq=False)
class Audited(ViewedResult):
    """What was sampled, what is wrong with it, and what a verifier did; `faulty` counts the rows that were refused."""

    diagnosis: Diagnosis
    samples: Samples | None = None
    verifier: VerifierCheck | None = None
    faulty: int = 0
    stopped: bool = False

    @cached_property
    def tables(self) -> AuditTables | None:
        """The numbers that are shown beside the findings."""
        return None if self.samples is None else make_tables(self.samples)

    @cached_property
    def tried(self) -> tuple[AttemptSummary, ...]:
        """What the verifier paid for each kind of answer."""
        return () if self.verifier is None else summarise_attempts(self.verifier)


def audit(options: AuditOptions, report: Report | None = None, stoppable: Stoppable | None = None) -> Audited:
    """Reads, gathers and judges samples, or tries a verifier, or both; Ctrl-C keeps what was read until then.

    Args:
        options: the samples, what to judge beside them, and the verifier.
        report: told how far it is.
        stoppable: entered while rows are read; once its function says so, what was read until then is judged. By
            itself Ctrl-C says so.

    Raises:
        UsageError: the options do not fit together.
        ReadError: something cannot be read.
    """
    _check(options)
    log = options.run if isinstance(options.run, Run) or options.run is None else read(os.fspath(options.run))
    samples, baseline, seed = options.samples, options.baseline, options.seed
    with (stoppable or catch_interrupts)() as stop:
        watch = _RowWatch(report, stop)
        seen, faulty = (None, 0) if samples is None else _gather_samples(samples, "samples", seed, watch)
        if seen is not None and baseline is not None and not watch.stopped:
            seen = replace(seen, baseline=_gather_samples(baseline, "baseline", seed, watch)[0])
    tried, stopped = None, watch.stopped
    if options.verifier is not None and not stopped:
        tried, stopped = _try_verifier(options, options.verifier, keep=seen is not None)
    if seen is not None:
        seen = replace(seen, run=make_curves(seen, log))
    if stopped and seen is not None:
        place = f"after {seen.rows:,} rows" if watch.stopped else "while the verifier was tried"
        seen = replace(seen, notes=(*seen.notes, f"Stopped {place}: what comes after was not looked at."))
    overlap = None if seen is None or stopped else _compare_splits(seen, report)
    judged = judge_samples(seen, log, tried, options.settings, overlap=overlap, whole=not stopped)
    return Audited(judged, seen, tried, faulty, stopped)


def _compare_splits(samples: Samples, report: Report | None) -> Overlap | None:
    """What the training and the evaluation rows of one set have in common; None where it has no such two splits."""
    sides = {find_side(split) for split in samples.splits}
    if not sides >= {TRAINING, EVALUATION} or not samples.source:
        return None
    try:
        return measure_overlap(samples.source, samples.source, report=report)
    except WeaklinkError:  # rows that can be sampled need not be texts that can be compared
        return None


@contextmanager
def catch_interrupts() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C was pressed; pressed once more, it ends the program as ever."""
    pressed: list[int] = []

    def note(number: int, frame: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # only the main thread hears signals
        yield lambda: False
        return
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def _check(options: AuditOptions) -> None:
    if options.seed < 0:
        raise UsageError(f"--seed must be at least 0, not {options.seed}.")
    if not 1.0 <= options.seconds <= 86_400.0:
        raise UsageError(f"--seconds must be from 1 to 86400, not {options.seconds:g}.")
    if options.samples is None and options.verifier is None:
        raise UsageError("Give SAMPLES, a file or folder of completions, or --verifier module:function, or both.")
    for option, given in (("--run", options.run), ("--baseline", options.baseline)):
        if options.samples is None and given is not None:
            raise UsageError(f"{option} is read beside samples: give SAMPLES too, or leave it out.")
    if options.verifier is None and options.cases is not None:
        raise UsageError("--cases FILE is for trying a verifier: add --verifier module:function.")
    if options.verifier is None and options.style != "auto":
        raise UsageError(f"--style {options.style} is for trying a verifier: add --verifier module:function.")
    for read_from in (options.samples, options.run, options.baseline, options.cases):
        if _is_same_file(options.output, read_from):
            raise UsageError(f"--output {options.output} would overwrite what is to be read. Name another file.")


def _is_same_file(output: str, given: object) -> bool:
    if not output or not isinstance(given, str | os.PathLike):
        return False
    return os.path.exists(output) and os.path.exists(given) and os.path.samefile(output, given)


class _RowWatch:
    """Passes rows on, tells how many, and ends the stream where it is asked to."""

    def __init__(self, report: Report | None, stop: Callable[[], bool]) -> None:
        self._report = report
        self._stop = stop
        self.stopped = False

    def rows(self, rows: Iterator[Sample], stage: str) -> Iterator[Sample]:
        for count, sample in enumerate(rows):
            if not count % OFTEN and self._asked(stage, count):
                return
            yield sample

    def _asked(self, stage: str, count: int) -> bool:
        if self._report is not None:
            self._report(stage, count)
        self.stopped = self.stopped or self._stop()
        return self.stopped


def _gather_samples(given: Path | Samples, stage: str, seed: int, watch: _RowWatch) -> tuple[Samples, int]:
    """The samples of a path in bounded memory, and how many of its rows were refused."""
    if isinstance(given, Samples):
        return given, 0
    rows = open_samples(os.fspath(given))
    name = os.path.basename(os.path.normpath(rows.source)) or rows.source
    gathered = gather(watch.rows(iter(rows), stage), name, seed=seed)
    if not gathered.rows:
        raise KeyboardInterrupt  # stopped before the first row: there is nothing to judge
    notes = tuple(dict.fromkeys((*gathered.notes, *rows.notes)))
    seen = replace(
        gathered,
        source=rows.source,
        notes=notes,
        faults=tuple(rows.faults),
        unknown=tuple(rows.unknown),
        named=dict(rows.named),
    )
    return seen, int(rows.faulty)


def _try_verifier(options: AuditOptions, verifier: Verifier, *, keep: bool) -> tuple[VerifierCheck | None, bool]:
    """What the verifier did, and whether Ctrl-C ended that; where samples were read, they are judged all the same."""
    from weaklink.collect.samples.verifier import examine

    cases = os.fspath(options.cases) if isinstance(options.cases, str | os.PathLike) else options.cases
    try:
        found = examine(verifier, cases=cases, style=options.style, seconds=options.seconds, seed=options.seed)
    except KeyboardInterrupt:
        if not keep:
            raise
        return None, True
    return found, False
