"""Runs followed while they grow, of any format that weaklink reads: the loop, without a screen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from weaklink.base.errors import UsageError
from weaklink.collect.readers import FoundRun, discover
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.watch.events import Event, EventKind, RunStatus
from weaklink.verbs.watch.followed import FollowedRun
from weaklink.verbs.watch.pace import RepeatTimer, TimeAccount

TICK = 0.5
SEARCH_EVERY = 2.0
LOOK_EVERY = 1.0
STANDARD_INPUT = "-"


class RunFollower:
    """Follows the runs at or below some paths; every call of `turn` does what is due and gives what there is to tell.

    Files are looked at twice a second and the paths are searched for new runs every other second. A run is read and
    judged again when its files have grown, at most once a second, and so that all of this takes about a twentieth of a
    core; what a run writes into its recording itself as a finding is judged at once.

    Args:
        paths: logs, run folders or trees of runs.
        settings: which rules to ask and with which thresholds; all, with their defaults, if left out.
        names: which metrics some keys of the logs hold.
        wait: a path that does not exist is waited for.
        keep_runs: each run that was read is kept until it is taken over, for who draws it.

    Raises:
        UsageError: no path is given, or one does not exist and is not to be waited for.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        settings: RuleSettings | None = None,
        *,
        names: Mapping[str, str] | None = None,
        wait: bool = False,
        keep_runs: bool = False,
    ) -> None:
        self._paths = [Path(path) for path in dict.fromkeys(map(str, paths))]
        _check(self._paths, wait=wait)
        self._settings = settings or RuleSettings()
        self._keep_runs, self._names = keep_runs, dict(names or {})
        self._runs: dict[str, FollowedRun] = {}
        self._faults: dict[Path, str] = {}
        self._pace = TimeAccount()
        self._scans, self._searches = RepeatTimer(TICK), RepeatTimer(SEARCH_EVERY)

    def turn(self) -> Iterator[Event]:
        """Does what is due, and gives each event as soon as it is known."""
        if self._searches.due:
            with self._searches.done():
                events = [event for path in self._paths for event in self._search(path)]
            yield from events
        if self._scans.due:
            with self._scans.done():
                for run in self._runs.values():
                    run.scan()
        for run in self._runs.values():
            run.take()
        for run in sorted(self._runs.values(), key=lambda one: (not one.urgent, one.looked)):
            if self._is_due(run):
                with self._pace.spent():
                    events = list(run.look())
                yield from events
            yield from run.settle()

    def follow(self, idle_exit: float | None = None) -> Iterator[Iterator[Event]]:
        """Turns without end, or until no run has grown for so many seconds."""
        while True:
            yield self.turn()
            if idle_exit is not None and self.quiet >= idle_exit:
                return
            time.sleep(max(self._scans.left, 0.01))

    def once(self) -> Iterator[Event]:
        """Looks once at everything that is there; ask for the verdicts afterwards."""
        for path in self._paths:
            yield from self._search(path)
        for run in self._runs.values():
            run.scan()
            run.take()
            yield from run.look()

    def verdicts(self) -> Iterator[Event]:
        """What waited for another look, then the last word on each run, and on each path in which none was found."""
        for run in self._runs.values():
            yield from run.verdicts()
        for path, fault in self._faults.items():
            if not any(_lies_in(source, path) for source in self._runs):
                yield Event(kind=EventKind.VERDICT, target=str(path), time=time.time(), message=fault)

    @property
    def statuses(self) -> list[RunStatus]:
        """How each run stands, the ones that grew last first."""
        ordered = sorted(self._runs.values(), key=lambda run: -run.grew)
        return [status for run in ordered for course in run.courses if (status := course.status) is not None]

    @property
    def runs(self) -> list[FollowedRun]:
        """The runs that are followed."""
        return list(self._runs.values())

    @property
    def pace(self) -> TimeAccount:
        """The account that reading and judging are paid from; whoever draws what they give pays from it too."""
        return self._pace

    @property
    def quiet(self) -> float:
        """For how many seconds no run has grown; 0 while there is none, or one is still to be judged."""
        if not self._runs or any(run.changed for run in self._runs.values()):
            return 0.0
        return time.monotonic() - max(run.grew for run in self._runs.values())

    def _is_due(self, run: FollowedRun) -> bool:
        if not run.changed:
            return False
        if run.urgent or not run.looked:
            return True
        return time.monotonic() - run.looked >= LOOK_EVERY and self._pace.free

    def _search(self, path: Path) -> Iterator[Event]:
        try:
            found = discover(path)
        except Exception as error:  # a folder that is away for a moment comes back
            if path not in self._faults:
                yield Event(
                    kind=EventKind.NOTE, target=str(path), time=time.time(), message=_explain_absence(path, error)
                )
            self._faults[path] = str(error)
            return
        self._faults.pop(path, None)
        for one in found:
            self._meet(one)
        there = {one.source for one in found}
        for source, run in self._runs.items():
            if source not in there and not run.lost and _lies_in(source, path):
                yield run.lose()

    def _meet(self, found: FoundRun) -> None:
        run = self._runs.get(found.source)
        if run is None:
            self._runs[found.source] = FollowedRun(found, self._settings, self._names, keep_runs=self._keep_runs)
            return
        run.lost = False
        if not run.is_made_of(found):
            run.take_found(found)


def _explain_absence(path: Path, error: Exception) -> str:
    if path.is_file():
        return f"{error} It is looked at again."
    missing = f"There is no run in {path}" if path.is_dir() else f"{path} is not there"
    return f"{missing}: it is waited for."


def _lies_in(source: str, path: Path) -> bool:
    return Path(source).is_relative_to(path)


def _check(paths: Sequence[Path], *, wait: bool) -> None:
    if not paths:
        raise UsageError("There is nothing to follow: name a log or a folder of runs.")
    for path in paths:
        if str(path) == STANDARD_INPUT:
            raise UsageError("Standard input cannot be followed: name a file, or pipe into `weaklink diagnose -`.")
        if not wait and not path.exists():
            raise UsageError(f"There is no {path} to follow. Check the path, or wait for it with --wait.")
