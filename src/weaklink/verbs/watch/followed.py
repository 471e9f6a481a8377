"""One run that is followed: its files, when they grew, and what was told of it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping

from weaklink.base.errors import EmptyLog, ReadError, WeaklinkError
from weaklink.base.evidence.naming import name_series
from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding
from weaklink.collect.readers import FoundRun
from weaklink.collect.readers.growing import GrowingRecording, is_growing
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.watch.events import Event, EventKind, RunStatus
from weaklink.verbs.watch.files import Sizes, find_newest, measure_files, was_restarted
from weaklink.verbs.watch.told import ToldFindings

SHORTEST_STILL, LONGEST_STILL = 5.0, 300.0
"""A log counts as still after three times its longest pause, within these seconds."""
RATE_OVER = 60.0


class RunHistory:
    """One run over many looks: what was told of it, its last diagnosis, and how fast it goes.

    With `keep_run` the run that was read last is kept until somebody takes it over.
    """

    def __init__(self, target: str, *, keep_run: bool = False) -> None:
        self.target = target
        self.told = ToldFindings()
        self._keep_run = keep_run
        self._run: Run | None = None
        self.diagnosis: Diagnosis | None = None
        self._measure = ""
        self._value: float | None = None
        self._passed: deque[tuple[float, float]] = deque(maxlen=240)

    def take(self, run: Run, diagnosis: Diagnosis) -> None:
        """Takes a look's answer."""
        self.diagnosis = diagnosis
        self._run = run if self._keep_run else None
        self._measure = next((name for name in MEASURES if name in run), "")
        self._value = float(run[self._measure].values[-1]) if self._measure else None
        now = time.monotonic()
        if self._passed and diagnosis.steps < self._passed[-1][1]:
            self._passed.clear()
        self._passed.append((now, diagnosis.steps))
        while self._passed[0][0] < now - RATE_OVER:
            self._passed.popleft()

    @property
    def unseen(self) -> bool:
        """Whether it was read since its run was taken over."""
        return self._run is not None

    def take_over(self) -> Run | None:
        """The run as it was read last, once: it is not kept any longer."""
        run, self._run = self._run, None
        return run

    @property
    def status(self) -> RunStatus | None:
        """How it stands, once it was judged."""
        if self.diagnosis is None:
            return None
        (began, first), (ended, last) = self._passed[0], self._passed[-1]
        rate = (last - first) / (ended - began) if ended > began else None
        return RunStatus(
            target=self.target, diagnosis=self.diagnosis, rate=rate, measure=self._measure, value=self._value
        )


class FollowedRun:
    """The files of one run, or of a database of runs. `scan` sees whether they grew, `look` reads and judges.

    `changed` says that there is something to look at, `urgent` that the run itself wrote a finding that was not told.
    """

    def __init__(
        self, found: FoundRun, settings: RuleSettings, names: Mapping[str, str], *, keep_runs: bool = False
    ) -> None:
        self._settings, self._names = settings, names
        self._keep_runs = keep_runs
        self._sizes: Sizes = {}
        self._courses: dict[str, RunHistory] = {}
        self._pauses: deque[float] = deque(maxlen=8)
        self._failure = ""
        self._failed_before = self._is_empty = False
        self._told_failures: set[str] = set()
        self._fault: ReadError | None = None
        self._begun_anew = False
        self.lost = False
        self.looked = 0.0
        self.met = self.grew = time.monotonic()
        self.take_found(found)
        self._still_since = self.grew - max(time.time() - find_newest(measure_files(found.paths)), 0.0)

    def take_found(self, found: FoundRun) -> None:
        """Takes what a search found anew of this run, which may be more files than before."""
        self._found = found
        self._growing = GrowingRecording(found) if is_growing(found) else None
        self._untaken = self.changed = True
        self.urgent = False

    def is_made_of(self, found: FoundRun) -> bool:
        """Whether a search found the same files again."""
        return self._found.paths == found.paths and self._found.formats == found.formats

    @property
    def courses(self) -> tuple[RunHistory, ...]:
        """The runs in these files."""
        return tuple(self._courses.values())

    @property
    def failure(self) -> str:
        """Why no run here was ever judged; empty where one was."""
        return "" if any(one.diagnosis for one in self.courses) else self._failure

    def scan(self) -> None:
        """Sees whether the files have changed."""
        sizes = measure_files(self._found.paths)
        if sizes == self._sizes or not sizes:
            return
        if self._sizes:
            now = time.monotonic()
            self._pauses.append(now - self.grew)
            self.grew = self._still_since = now
        self._begun_anew = self._begun_anew or was_restarted(self._sizes, sizes)
        self._sizes = sizes
        self.changed = self._untaken = True

    def take(self) -> None:
        """Takes in what was added to a recording since the last time; sees whether there is a finding in it."""
        growing = self._growing
        if growing is None or not self._untaken:
            return
        self._untaken = False
        restarts, told = growing.restarts, len(growing.told)
        try:
            growing.take()
        except ReadError as error:
            self._fault = error
            return
        self._fault = None
        self._begun_anew = self._begun_anew or growing.restarts > restarts
        fresh = growing.told[0 if growing.restarts > restarts else told :]
        known = () if self._begun_anew else self.courses
        self.urgent = self.urgent or any(not any(course.told.knows(code) for course in known) for code in fresh)

    def look(self) -> Iterator[Event]:
        """Reads and judges, and gives what there is to tell."""
        self.changed = self.urgent = False
        self.looked = time.monotonic()
        if self._begun_anew:
            self._begun_anew = False
            self._courses.clear()
            yield self._note("was begun anew: what it told before is forgotten")
        try:
            runs = self._read()
            several = len(runs) > 1
            for run in runs:
                yield from self._judged(run, run.name if several else self._found.source)
        except Exception as error:  # whatever a file in the making holds must not end the watching
            self._failure = _explain_failure(self._found.source, error)
            self._is_empty = isinstance(error, EmptyLog)  # every log begins so, and it need not be told
            if self._failed_before:
                yield from self._tell_failure()
            self._failed_before = True
            return
        self._failed_before, self._failure = False, ""

    @property
    def still_since(self) -> float:
        """When it grew last, by the clock of the files where that was before it was met."""
        return self._still_since

    @property
    def is_still(self) -> bool:
        """Whether the log has stopped growing."""
        still = min(max(SHORTEST_STILL, 3 * max(self._pauses, default=0.0)), LONGEST_STILL)
        return not self.changed and time.monotonic() - self._still_since > still

    def settle(self) -> Iterator[Event]:
        """What waited for another look is told once the log has stopped growing."""
        if self.is_still:
            yield from self._tell_waiting()
            yield from self._tell_failure()

    def verdicts(self) -> Iterator[Event]:
        """What still waited for another look, then the last word on each run here."""
        yield from self._tell_waiting()
        for course in self.courses:
            yield self._event(EventKind.VERDICT, course)
        if self.failure:
            yield Event(kind=EventKind.VERDICT, target=self._found.source, time=time.time(), message=self._failure)

    def _tell_waiting(self) -> Iterator[Event]:
        for course in self.courses:
            for finding in course.told.settle() if course.told.waiting else ():
                yield self._event(EventKind.FINDING, course, finding)

    def lose(self) -> Event:
        """The run was not found any more."""
        self.lost = True
        return self._note("is not there any more: its last verdict stands, and it is looked for")

    def _read(self) -> list[Run]:
        if self._fault is not None:
            raise self._fault
        runs = self._found.read() if self._growing is None else [self._growing.run()]
        return [name_series(run, self._names) for run in runs]

    def _judged(self, run: Run, target: str) -> Iterator[Event]:
        diagnosis = diagnose(run, self._settings)
        course = self._courses.get(run.name)
        met = course is None
        course = self._courses.setdefault(run.name, RunHistory(target, keep_run=self._keep_runs))
        course.take(run, diagnosis)
        if met:
            yield self._event(EventKind.RUN, course)
        fresh, gone = course.told.look(diagnosis.findings, () if self._growing is None else self._growing.told)
        for finding in fresh:
            yield self._event(EventKind.FINDING, course, finding)
        for finding in gone:
            yield self._event(EventKind.GONE, course, finding)

    def _tell_failure(self) -> Iterator[Event]:
        if self._failure and not self._is_empty and self._failure not in self._told_failures:
            self._told_failures.add(self._failure)
            yield Event(kind=EventKind.NOTE, target=self._found.source, time=time.time(), message=self._failure)

    def _event(self, kind: EventKind, course: RunHistory, finding: Finding | None = None) -> Event:
        return Event(kind=kind, target=course.target, time=time.time(), diagnosis=course.diagnosis, finding=finding)

    def _note(self, words: str) -> Event:
        source = self._found.source
        return Event(kind=EventKind.NOTE, target=source, time=time.time(), message=f"{source} {words}.")


def _explain_failure(target: str, error: Exception) -> str:
    if isinstance(error, WeaklinkError):
        return str(error)
    if isinstance(error, OSError):
        return f"Cannot read {target}: {error.strerror or error}."
    return f"Could not judge {target}, by a fault of weaklink itself ({type(error).__name__}: {error})."
