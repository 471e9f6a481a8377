"""The whole of an audit: samples read and gathered, the log beside them, the verifier tried, all judged together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Sample, Samples
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.collect.readers import read
from weaklink.collect.readers.samples import open_samples
from weaklink.collect.samples.curves import curves
from weaklink.collect.samples.gathering import gather
from weaklink.collect.samples.tables import Tables, Tried, tables, tried_of
from weaklink.judge.diagnosis.auditing import judged
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.settings import Settings

Path = str | os.PathLike[str]
Report = Callable[[str, int], None]
"""Told now and then what is being done, and how many rows were read."""

Stoppable = Callable[[], AbstractContextManager[Callable[[], bool]]]
"""Entered while rows are read; gives a function that says whether to stop."""

Cases = Path | Iterable[Mapping[str, Any]]

OFTEN = 1000
"""Rows between two reports."""


@dataclass(frozen=True, eq=False)
class Audited:
    """What was sampled, what is wrong with it, and what a verifier did; `faulty` counts the rows that were refused."""

    diagnosis: Diagnosis
    samples: Samples | None = None
    verifier: VerifierCheck | None = None
    faulty: int = 0
    stopped: bool = False

    @cached_property
    def tables(self) -> Tables | None:
        """The numbers that are shown beside the findings."""
        return None if self.samples is None else tables(self.samples)

    @cached_property
    def tried(self) -> tuple[Tried, ...]:
        """What the verifier paid for each kind of answer."""
        return () if self.verifier is None else tried_of(self.verifier)


def audit(
    samples: Path | Samples | None = None,
    *,
    run: Path | Run | None = None,
    baseline: Path | Samples | None = None,
    verifier: Any = None,
    cases: Cases | None = None,
    style: str = "auto",
    seconds: float = 60.0,
    seed: int = 0,
    settings: Settings | None = None,
    report: Report | None = None,
    stoppable: Stoppable | None = None,
) -> Audited:
    """Reads, gathers and judges samples, or tries a verifier, or both.

    Args:
        samples: a file or folder of completions or trajectories, or what was gathered already.
        run: the log of the same training, to be judged together with them.
        baseline: samples from before training, to compare with.
        verifier: a reward function to try: `module:function` or `file.py:function`, or the function itself.
        cases: a file of prompts and answers to try the verifier on, or rows of them; those built in if left out.
        style: how the verifier is called: `auto`, `trl`, `verl` or `plain`.
        seconds: how long trying the verifier may take.
        seed: of every random choice.
        settings: which rules to ask and with which thresholds.
        report: told how far it is.
        stoppable: entered while rows are read; once its function says so, what was read until then is judged.
    """
    _check(samples, run, baseline, verifier, cases)
    log = run if isinstance(run, Run) or run is None else read(os.fspath(run))
    with (stoppable or _never)() as stop:
        watch = _Watch(report, stop)
        seen, faulty = (None, 0) if samples is None else _seen(samples, "samples", seed, watch)
        if seen is not None and baseline is not None and not watch.stopped:
            seen = replace(seen, baseline=_seen(baseline, "baseline", seed, watch)[0])
    tried, stopped = None, watch.stopped
    if verifier is not None and not stopped:
        tried, stopped = _tried(verifier, cases, style, seconds, seed, keep=seen is not None)
    if seen is not None:
        seen = replace(seen, run=curves(seen, log))
    if stopped and seen is not None:
        place = f"after {seen.rows:,} rows" if watch.stopped else "while the verifier was tried"
        seen = replace(seen, notes=(*seen.notes, f"Stopped {place}: what comes after was not looked at."))
    return Audited(judged(seen, log, tried, settings, whole=not stopped), seen, tried, faulty, stopped)


def _never() -> AbstractContextManager[Callable[[], bool]]:
    return nullcontext(lambda: False)


def _check(samples: Any, run: Any, baseline: Any, verifier: Any, cases: Any) -> None:
    if samples is None and verifier is None:
        raise UsageError("Give SAMPLES, a file or folder of completions, or --verifier module:function, or both.")
    for option, given in (("--run", run), ("--baseline", baseline)):
        if samples is None and given is not None:
            raise UsageError(f"{option} is read beside samples: give SAMPLES too, or leave it out.")
    if cases is not None and verifier is None:
        raise UsageError("--cases FILE is for trying a verifier: add --verifier module:function.")


class _Watch:
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


def _seen(given: Path | Samples, stage: str, seed: int, watch: _Watch) -> tuple[Samples, int]:
    """The samples of a path in bounded memory, and how many of its rows were refused."""
    if isinstance(given, Samples):
        return given, 0
    rows = open_samples(os.fspath(given))
    name = os.path.basename(os.path.normpath(rows.source)) or rows.source
    gathered = gather(watch.rows(iter(rows), stage), name, seed=seed)
    if not gathered.rows:
        raise KeyboardInterrupt  # stopped before the first row: there is nothing to judge
    notes = tuple(dict.fromkeys((*gathered.notes, *rows.notes)))
    seen = replace(gathered, source=rows.source, notes=notes, faults=tuple(rows.faults), unknown=tuple(rows.unknown))
    return seen, int(rows.faulty)


def _tried(
    verifier: Any, cases: Cases | None, style: str, seconds: float, seed: int, *, keep: bool
) -> tuple[VerifierCheck | None, bool]:
    """What the verifier did, and whether Ctrl-C ended that; where samples were read, they are judged all the same."""
    from weaklink.collect.samples.verifier import examine

    given = os.fspath(cases) if isinstance(cases, str | os.PathLike) else cases
    try:
        return examine(verifier, cases=given, style=style, seconds=seconds, seed=seed), False
    except KeyboardInterrupt:
        if not keep:
            raise
        return None, True
