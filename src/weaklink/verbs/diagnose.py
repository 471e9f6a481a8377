"""`diagnose`: which link broke first, from the logs of one run or of many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, Union

import msgspec

from weaklink.base.evidence.naming import check_metric, name_series
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Level
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose as judge_run
from weaklink.judge.diagnosis.engine import diagnose_fleet
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.verbs.fleet.crew import FleetCrew
from weaklink.verbs.targets import (
    Around,
    Counted,
    Failure,
    JudgedRun,
    LogTarget,
    check_output,
    find_targets,
    judge_targets,
)

if TYPE_CHECKING:  # one run needs nothing of a fleet
    from weaklink.judge.diagnosis.patterns import SweepPatterns
    from weaklink.verbs.fleet.folder import FleetFolder
    from weaklink.verbs.fleet.summary import RunSummary
    from weaklink.verbs.fleet.work import Judged

Result = Diagnosis | Failure
Told = Union[JudgedRun, "RunSummary", Failure]
Tell = Callable[[Told], None]
"""Told each result as soon as it is known, in the order of the targets."""

Step = TypeVar("Step")


class DiagnoseOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`paths` hold logs; `output` is a file that will be written, and so must not be one that is read.

    `symptom` is what the user sees: it changes where a report starts, not what is judged. `names` says which metrics
    some keys of the logs hold. `crew` says who judges where there are many runs, and where their results are kept.
    """

    paths: tuple[str, ...]
    settings: RuleSettings = RuleSettings()
    names: dict[str, str] = {}
    symptom: Symptom | None = None
    output: str = ""
    crew: FleetCrew = FleetCrew()


class Diagnosed(msgspec.Struct, frozen=True, kw_only=True):
    """Every result, `alone` with its run where there is one run, `together` what several say as a fleet of `runs`.

    Of several runs none is kept, so that a fleet of any size needs little memory: `summaries` has each of them in
    short, and `targets` can be read again. `table` is the file with a row for each, `patterns` what their settings say.
    """

    results: tuple[Result, ...] = ()
    alone: JudgedRun | None = None
    together: Diagnosis | None = None
    runs: int = 0
    stopped: bool = False
    summaries: tuple[RunSummary, ...] = ()
    targets: tuple[LogTarget, ...] = ()
    table: str = ""
    patterns: SweepPatterns | None = None

    @property
    def failures(self) -> list[Failure]:
        """The targets that could not be read."""
        return list_failures(self.results)

    @property
    def own_fault(self) -> bool:
        """Whether weaklink itself failed on one of them."""
        return any(failure.own_fault for failure in self.failures)

    @property
    def worst(self) -> Level | None:
        """The highest level of all findings."""
        judged = (one.worst for one in (*self.results, self.together) if isinstance(one, Diagnosis))
        return max((level for level in judged if level is not None), default=None)


def diagnose_run(
    run: Run | str | os.PathLike[str], settings: RuleSettings, names: Mapping[str, str] | None = None
) -> Diagnosis:
    """Judges one run, or the one run that a path holds; `names` says which metrics some of its keys hold.

    Raises:
        UsageError: the path holds several runs.
        ReadError: it cannot be read.
    """
    named = {key: check_metric(metric) for key, metric in (names or {}).items()}
    return judge_run(name_series(run if isinstance(run, Run) else read(os.fspath(run)), named), settings)


def diagnose(options: DiagnoseOptions, tell: Tell | None = None, around: Around | None = None) -> Diagnosed:
    """Reads and judges what the paths hold; Ctrl-C keeps what was found until then.

    Raises:
        UsageError: a path is empty, or what would be written cannot be, or would overwrite what is read.
    """
    gathering, stopped = _ResultGatherer(tell), False
    targets: list[LogTarget] = []
    with options.crew.open_folder() as folder:
        try:
            found, unreadable = find_targets(options.paths, around or _pass_on)
            targets = folder.leave_out(found)
            check_output(options.output, options.paths, targets)
            for failure in unreadable:
                gathering.add(failure)
            for result in _judge(targets, options, folder, around or _pass_on):
                gathering.add(result)
        except KeyboardInterrupt:
            stopped = True
        for result in folder.list_early():
            gathering.add(result)
        table = folder.write_table(gathering.list_judged()) if options.crew.out else ""
    return gathering.conclude(options.settings, targets, stopped=stopped, table=table)


def _judge(
    targets: Sequence[LogTarget], options: DiagnoseOptions, folder: FleetFolder, around: Around
) -> Iterator[Told]:
    """The results in the order of the targets: of few by this process one by one, of many by all of the crew."""
    if not options.crew.is_wanted(len(targets)):
        yield from judge_targets(around(targets), options.settings, options.names)
        return
    from weaklink.verbs.fleet.judging import FleetArrivals
    from weaklink.verbs.fleet.work import FleetStart

    start = FleetStart(
        options.settings, tracked=bool(options.crew.out), names=options.names, growth=folder.describe_growth()
    )
    with options.crew.gather(start, len(targets)) as labour:
        for arrival in around(FleetArrivals(targets, start, labour, folder.open_cache(start))):
            yield from folder.put_in_order(arrival)


def _pass_on(steps: Counted[Step], /) -> Iterable[Step]:
    return steps


class _ResultGatherer:
    """Results as they come: only the first run is kept, with a summary of each once there are two."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self._results: list[Result] = []
        self._first: JudgedRun | None = None
        self._summaries: list[RunSummary] = []
        self._failures: list[Failure] = []

    def add(self, result: Told) -> None:
        self._results.append(result if isinstance(result, Failure) else result.diagnosis)
        if isinstance(result, Failure):
            self._failures.append(result)
        elif not isinstance(result, JudgedRun):
            self._summaries.append(result)
        elif self._first is None and not self._summaries:
            self._first = result
        else:
            self._summarise_first()
            self._summarise(result)
        if self._tell is not None:
            self._tell(result)

    def _summarise_first(self) -> None:
        if self._first is not None and not self._summaries:
            self._summarise(self._first)

    def _summarise(self, one: JudgedRun) -> None:
        from weaklink.verbs.fleet.summary import summarise_run

        self._summaries.append(summarise_run(one.run, one.diagnosis))

    def list_judged(self) -> list[Judged]:
        """Every run in short, and what could not be read."""
        self._summarise_first()
        return [*self._summaries, *self._failures]

    def conclude(self, settings: RuleSettings, targets: Sequence[LogTarget], *, stopped: bool, table: str) -> Diagnosed:
        if len(self._results) == 1 and self._first is not None:
            done = Diagnosed(alone=self._first, runs=1)
        else:
            self._summarise_first()
            done = self._conclude_fleet(settings) if len(self._summaries) > 1 else Diagnosed(runs=len(self._summaries))
        return msgspec.structs.replace(
            done,
            results=tuple(self._results),
            stopped=stopped,
            summaries=tuple(self._summaries),
            targets=tuple(targets),
            table=table,
        )

    def _conclude_fleet(self, settings: RuleSettings) -> Diagnosed:
        from weaklink.base.evidence.fleet import Fleet
        from weaklink.verbs.fleet.settings import find_settings

        runs = self._summaries
        name = find_common_folder(self._results) or f"{len(runs)} runs"
        together = diagnose_fleet(Fleet(tuple(one.peer for one in runs)), name, settings)
        return Diagnosed(together=together, runs=len(runs), patterns=find_settings(runs))


def list_failures(results: Sequence[Result]) -> list[Failure]:
    """The targets that could not be read."""
    return [result for result in results if isinstance(result, Failure)]


def find_common_folder(results: Sequence[Result]) -> str:
    """The folder that all targets lie in, or nothing where there is none."""
    targets = [result.target for result in results]
    if len(targets) < 2 or not all(os.sep in target for target in targets):
        return ""
    try:
        return os.path.commonpath([os.path.dirname(target) for target in targets])
    except ValueError:  # some are absolute and some are not
        return ""
