"""`diagnose`: which link broke first, from the logs of one run or of many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from weaklink.base.evidence.fleet import Fleet, PeerRun
from weaklink.base.evidence.naming import check_metric, name_series
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Level
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose as judge_run
from weaklink.judge.diagnosis.engine import diagnose_fleet
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.verbs.targets import Failure, JudgedRun, LogTarget, check_output, find_targets, judge_targets

Result = Diagnosis | Failure
Tell = Callable[[JudgedRun | Failure], None]
"""Told each result as soon as it is known."""

Around = Callable[[Sequence[LogTarget]], Iterable[LogTarget]]
"""Passes the targets on one by one, for whoever shows how many there are."""


class DiagnoseOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`paths` hold logs; `output` is a file that will be written, and so must not be one that is read.

    `symptom` is what the user sees: it changes where a report starts, not what is judged. `names` says which metrics
    some keys of the logs hold.
    """

    paths: tuple[str, ...]
    settings: RuleSettings = RuleSettings()
    names: dict[str, str] = {}
    symptom: Symptom | None = None
    output: str = ""


class Diagnosed(msgspec.Struct, frozen=True, kw_only=True):
    """Every result, `alone` with its run where there is one run, `together` what several say as a fleet of `runs`.

    Of several runs none is kept, so that a fleet of any size needs little memory.
    """

    results: tuple[Result, ...] = ()
    alone: JudgedRun | None = None
    together: Diagnosis | None = None
    runs: int = 0
    stopped: bool = False

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
        UsageError: a path is empty, or the output would overwrite what is read.
    """
    gathering, stopped = _ResultGatherer(tell), False
    try:
        targets, unreadable = find_targets(options.paths)
        check_output(options.output, options.paths, targets)
        for failure in unreadable:
            gathering.add(failure)
        for result in judge_targets(around(targets) if around else targets, options.settings, options.names):
            gathering.add(result)
    except KeyboardInterrupt:
        stopped = True
    return gathering.conclude(options.settings, stopped=stopped)


class _ResultGatherer:
    """Results as they come: only the first run is kept, with a summary of each once there are two."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self._results: list[Result] = []
        self._first: JudgedRun | None = None
        self._peers: list[PeerRun] = []

    def add(self, result: JudgedRun | Failure) -> None:
        self._results.append(result.diagnosis if isinstance(result, JudgedRun) else result)
        if isinstance(result, JudgedRun):
            self._take(result)
        if self._tell is not None:
            self._tell(result)

    def _take(self, result: JudgedRun) -> None:
        if self._first is None:
            self._first = result
            return
        runs = (result.run,) if self._peers else (self._first.run, result.run)
        self._peers.extend(map(PeerRun.of, runs))

    def conclude(self, settings: RuleSettings, *, stopped: bool) -> Diagnosed:
        together = None
        if self._peers:
            name = find_common_folder(self._results) or f"{len(self._peers)} runs"
            together = diagnose_fleet(Fleet(tuple(self._peers)), name, settings)
        return Diagnosed(
            results=tuple(self._results),
            alone=self._first if len(self._results) == 1 else None,
            together=together,
            runs=len(self._peers) or int(self._first is not None),
            stopped=stopped,
        )


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
