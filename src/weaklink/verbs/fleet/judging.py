"""The targets of a fleet judged: those that are known from the last time, then the others, by whoever does the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weaklink.collect.readers.handing import HandedRun
from weaklink.verbs.fleet.cache import ResultCache
from weaklink.verbs.fleet.labour import Labour
from weaklink.verbs.fleet.summary import summarise_run
from weaklink.verbs.fleet.work import FleetJob, FleetStart, Judged
from weaklink.verbs.targets import JudgedRun, LogTarget, judge_targets

Arrival = tuple[int, tuple[Judged, ...]]
"""The number of a target, and its runs."""


class FleetArrivals:
    """The results of all targets as they come; as many as there are targets, whatever their order."""

    def __init__(
        self, targets: Sequence[LogTarget], start: FleetStart, labour: Labour, cache: ResultCache | None
    ) -> None:
        self._targets, self._start, self._labour, self._cache = targets, start, labour, cache

    def __len__(self) -> int:
        return len(self._targets)

    def __iter__(self) -> Iterator[Arrival]:
        jobs: dict[int, FleetJob] = {}
        for number, target in enumerate(self._targets):
            handed = None if target.found is None else HandedRun.of(target.found)
            if handed is None:
                yield number, self._judge_here(target)
                continue
            job = FleetJob(number, target.name, handed)
            known = None if self._cache is None else self._cache.find(job)
            if known is None:
                jobs[number] = job
            else:
                yield number, known
        if not jobs:
            return
        for reply in self._labour.judge(list(jobs.values())):
            if self._cache is not None:
                self._cache.keep(jobs[reply.number], reply)
            yield reply.number, reply.judged

    def _judge_here(self, target: LogTarget) -> tuple[Judged, ...]:
        """What only this process can read, such as its standard input."""
        return tuple(
            summarise_run(one.run, one.diagnosis) if isinstance(one, JudgedRun) else one
            for one in judge_targets([target], self._start.settings, self._start.names)
        )
