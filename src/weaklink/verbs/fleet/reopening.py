"""Runs of a fleet read once more, to be drawn: of many runs none was kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weaklink.base.errors import ReadError
from weaklink.verbs.fleet.summary import RunSummary
from weaklink.verbs.targets import JudgedRun, LogTarget


def reopen_runs(targets: Sequence[LogTarget], wanted: Sequence[RunSummary]) -> Iterator[JudgedRun]:
    """The runs with their diagnoses; one that has gone since is left out."""
    places = {target.name: target for target in targets}
    for one in wanted:
        target = places.get(one.diagnosis.target)
        if target is None:
            continue
        try:
            runs = target.read()
        except (ReadError, OSError):
            continue
        yield from (JudgedRun(run, one.diagnosis) for run in runs if run.name == one.peer.name or len(runs) == 1)
