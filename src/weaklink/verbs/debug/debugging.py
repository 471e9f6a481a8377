"""`debug`: stage after stage until a link is broken, and the case that comes of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from weaklink.base.errors import UsageError
from weaklink.judge.diagnosis.settings import Settings
from weaklink.verbs.debug.assembling import Evidence, assembled, evidence_of
from weaklink.verbs.debug.case import DIAGNOSE, PREFLIGHT, PROBE, QUESTION, SKIPPED, STAGES, WATCH, Case, StageResult
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.listening import Listener, Silence
from weaklink.verbs.debug.options import SHARES, DebugOptions, checked
from weaklink.verbs.debug.stages import diagnose, preflight, probe, question, watch
from weaklink.verbs.debug.work import Work

NOT_WANTED = "it was left out by --skip or --only"
TRAINER_FIRST = "a link is broken already: mend it first"


def debug(options: DebugOptions, listener: Listener | None = None) -> Case:
    """Walks through the stages and keeps everything in the folder of the case.

    Args:
        options: what is debugged, how long, which stages, which rules.
        listener: told of the stages while they run.

    Returns:
        The case. Ctrl-C ends it early with what was found; the next call goes on.

    Raises:
        UsageError: the target cannot be used.
    """
    checked(options)
    kept = CaseFolder.opened(options.place, options.target, fresh=options.fresh)
    if options.fresh:
        kept.forget()
    work = Work(options, kept, listener or Silence())
    try:
        work.begin()
        results = _walked(work)
    finally:
        work.close()
    kept.index.stages = tuple(one.stage for one in results)
    kept.index.stopped = work.stopped
    kept.save()
    return assembled(kept, results, options.settings, stopped=work.stopped)


def read_case(folder: str | os.PathLike[str]) -> Case:
    """The case that lies in a folder, judged again from its evidence. Nothing of the user's is run.

    Raises:
        UsageError: the folder is no case.
    """
    kept = CaseFolder.read(Path(folder))
    codes = kept.index.codes
    settings = Settings(None if codes is None else frozenset(codes), kept.index.thresholds)
    results: list[StageResult] = []
    for stage in kept.index.stages:
        why = kept.index.skipped.get(stage)
        results.append(_skipped(stage, why) if why else _judged(stage, kept, settings, results))
    return assembled(kept, results, settings, stopped=kept.index.stopped)


def is_case(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder is a case."""
    try:
        CaseFolder.read(Path(folder))
    except UsageError:
        return False
    return True


def _walked(work: Work) -> list[StageResult]:
    results: list[StageResult] = []
    for stage in STAGES:
        if work.options.only and stage not in work.options.only:
            continue
        work.listener.begins(stage, work.options.share(stage) if stage in SHARES else 0.0)
        result = _carried_out(stage, work, results)
        results.append(result)
        work.folder.keep(result)
        work.listener.ended(result)
        if work.stopped or (result.ended and not work.options.everything):
            break
    return results


_GATHER: dict[str, tuple[Callable[[Work], str], Callable[[Work], bool]]] = {
    PREFLIGHT: (preflight.skipped, preflight.gathered),
    PROBE: (probe.skipped, probe.gathered),
    WATCH: (watch.skipped, watch.gathered),
}


def _carried_out(stage: str, work: Work, before: list[StageResult]) -> StageResult:
    """One stage: its evidence, gathered now or before, and what it says."""
    why, known = "", False
    if not work.options.wants(stage):
        why = NOT_WANTED
    elif stage in _GATHER:
        skipped, gather = _GATHER[stage]
        why = skipped(work)
        known = False if why else gather(work)
    if why:
        work.folder.index.skipped[stage] = why
        return _skipped(stage, why)
    if stage == PREFLIGHT:
        _ = work.model  # the settings of the model are judged with the environment
    return msgspec.structs.replace(_judged(stage, work.folder, work.options.settings, before), resumed=known)


def _skipped(stage: str, why: str) -> StageResult:
    return StageResult(stage=stage, state=SKIPPED, why=why)


def _judged(stage: str, folder: CaseFolder, settings: Settings, before: list[StageResult]) -> StageResult:
    """What a stage says of its evidence."""
    began = time.monotonic()
    seen = evidence_of(folder, settings, {*(one.stage for one in before if one.state != SKIPPED), stage})
    spent = folder.index.seconds.get(stage, 0.0)
    if stage == PREFLIGHT and seen.preflight is not None:
        return preflight.result(seen.preflight, spent)
    if stage == PROBE and seen.probed is not None:
        return probe.result(seen.probed, spent)
    if stage == WATCH and seen.ended is not None:
        return watch.result(seen.ended, seen.run, spent)
    return _concluded(stage, seen, folder, settings, time.monotonic() - began)


def _concluded(stage: str, seen: Evidence, folder: CaseFolder, settings: Settings, seconds: float) -> StageResult:
    combined = seen.combined(folder.index.target, settings)
    if stage == DIAGNOSE:
        if seen.run is None and seen.crash is None:
            return _skipped(DIAGNOSE, diagnose.NO_RECORDING)
        return diagnose.result(combined, seen.run, seconds)
    if seen.run is None and seen.preflight is None:
        return _skipped(QUESTION, "nothing was seen that it could ask")
    return question.result(combined, seen.run, seen.ended, folder.index.environment_word, seconds)
