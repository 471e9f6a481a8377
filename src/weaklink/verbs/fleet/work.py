"""What is asked of whoever judges the runs of a fleet, and what comes back. The same function does it everywhere."""

from __future__ import annotations

import time

import msgspec

from weaklink.collect.readers.handing import NO_MEMORY, HandedRun, ReadingMemory
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.fleet.growth import GrowthMemory, GrowthPlace
from weaklink.verbs.fleet.sources import FileDigests, FileState, hear_opened, take_states
from weaklink.verbs.fleet.summary import RunSummary, make_plain, summarise_run
from weaklink.verbs.targets import Failure, JudgedRun, LogTarget, judge_targets

Judged = RunSummary | Failure


class FleetStart(msgspec.Struct, frozen=True):
    """How all runs are judged; `tracked` where the states of their files are wanted, to know them again.

    `names` says which metrics some keys of the logs hold, `growth` where readings of growing runs are kept.
    """

    settings: RuleSettings = RuleSettings()
    tracked: bool = False
    names: dict[str, str] = {}
    growth: GrowthPlace | None = None


class FleetJob(msgspec.Struct, frozen=True):
    """One target to judge: its number, its name, and its files."""

    number: int
    name: str
    handed: HandedRun


class FleetReply(msgspec.Struct, frozen=True, omit_defaults=True):
    """A worker is `ready`, or the runs of one job, with the states of their files as they were before."""

    number: int = -1
    ready: bool = False
    judged: tuple[Judged, ...] = ()
    sources: tuple[FileState, ...] = ()


def do_job(job: FleetJob, start: FleetStart) -> FleetReply:
    """Reads and judges the runs of a target; what cannot be read comes back as a failure."""
    if not start.tracked:
        return FleetReply(job.number, judged=judge_handed(job, start))
    digests = FileDigests()
    memory = NO_MEMORY if start.growth is None else GrowthMemory(start.growth, job.handed, digests)
    sources = take_states(job.handed.list_sources(), digests)
    with hear_opened() as opened:
        judged = judge_handed(job, start, memory)
    if isinstance(memory, GrowthMemory):
        memory.save()
    known = {state.path for state in sources}
    return FleetReply(job.number, judged=judged, sources=(*sources, *take_states(sorted(opened - known), digests)))


def judge_handed(job: FleetJob, start: FleetStart, memory: ReadingMemory = NO_MEMORY) -> tuple[Judged, ...]:
    """The runs of a target, each in short."""
    began = time.perf_counter()
    judged: list[Judged] = []
    for result in judge_targets([LogTarget(job.name, lambda: job.handed.read(memory))], start.settings, start.names):
        if isinstance(result, JudgedRun):
            now = time.perf_counter()
            judged.append(make_plain(summarise_run(result.run, result.diagnosis, now - began)))
            began = now
        else:
            judged.append(result)
    return tuple(judged)
