"""`debug`: stage after stage until a link is broken, and the case that comes of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from weaklink.base.errors import UsageError
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.assembling import CaseEvidence, assemble_case, load_evidence
from weaklink.verbs.debug.case import DIAGNOSE, PREFLIGHT, PROBE, QUESTION, SKIPPED, STAGES, WATCH, Case, StageResult
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.listening import SilentListener, StageListener
from weaklink.verbs.debug.options import SHARES, DebugOptions, check_options
from weaklink.verbs.debug.stages import diagnose, preflight, probe, question, rewards, watch
from weaklink.verbs.debug.work import CaseWork

NOT_WANTED = "it was left out by --skip or --only"
TRAINER_FIRST = "a link is broken already: mend it first"


def debug(options: DebugOptions, listener: StageListener | None = None) -> Case:
    """Walks through the stages and keeps everything in the folder of the case.

    Args:
        options: what is debugged, how long, which stages, which rules.
        listener: told of the stages while they run.

    Returns:
        The case. Ctrl-C ends it early with what was found; the next call goes on.

    Raises:
        UsageError: the target cannot be used.
    """
    check_options(options)
    kept = CaseFolder.opened(options.place, options.target, fresh=options.fresh)
    if options.fresh:
        kept.forget()
    work = CaseWork(options, kept, listener or SilentListener())
    try:
        work.begin()
        results = _walk_stages(work)
    finally:
        work.close()
    kept.index.stages = tuple(one.stage for one in results)
    kept.index.stopped = work.stopped
    kept.save()
    return assemble_case(kept, results, options.settings, stopped=work.stopped)


def read_case(folder: str | os.PathLike[str]) -> Case:
    """The case that lies in a folder, judged again from its evidence. Nothing of the user's is run.

    Raises:
        UsageError: the folder is no case.
    """
    kept = CaseFolder.read(Path(folder))
    codes = kept.index.codes
    settings = RuleSettings(None if codes is None else frozenset(codes), kept.index.thresholds)
    results: list[StageResult] = []
    for stage in kept.index.stages:
        why = kept.index.skipped.get(stage)
        results.append(_make_skipped(stage, why) if why else _judge_stage(stage, kept, settings, results))
    return assemble_case(kept, results, settings, stopped=kept.index.stopped)


def is_case(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder is a case."""
    try:
        CaseFolder.read(Path(folder))
    except UsageError:
        return False
    return True


def _walk_stages(work: CaseWork) -> list[StageResult]:
    results: list[StageResult] = []
    for stage in STAGES:
        if work.options.only and stage not in work.options.only:
            continue
        work.listener.begins(stage, work.options.share(stage) if stage in SHARES else 0.0)
        result = _run_stage(stage, work, results)
        results.append(result)
        work.folder.keep(result)
        work.listener.ended(result)
        if work.stopped or (result.ended and not work.options.everything):
            break
    return results


_GATHER: dict[str, tuple[Callable[[CaseWork], str], Callable[[CaseWork], bool]]] = {
    PREFLIGHT: (preflight.explain_skip, preflight.gather_evidence),
    PROBE: (probe.explain_skip, probe.gather_evidence),
    WATCH: (watch.explain_skip, watch.gather_evidence),
}


def _run_stage(stage: str, work: CaseWork, before: list[StageResult]) -> StageResult:
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
        return _make_skipped(stage, why)
    if stage in (DIAGNOSE, QUESTION) and work.options.wants(QUESTION):
        rewards.gather_evidence(work)
    if stage == PREFLIGHT:
        _ = work.model  # the settings of the model are judged with the environment
    return msgspec.structs.replace(_judge_stage(stage, work.folder, work.options.settings, before), resumed=known)


def _make_skipped(stage: str, why: str) -> StageResult:
    return StageResult(stage=stage, state=SKIPPED, why=why)


def _judge_stage(stage: str, folder: CaseFolder, settings: RuleSettings, before: list[StageResult]) -> StageResult:
    """What a stage says of its evidence."""
    began = time.monotonic()
    seen = load_evidence(folder, settings, {*(one.stage for one in before if one.state != SKIPPED), stage})
    spent = folder.index.seconds.get(stage, 0.0)
    if stage == PREFLIGHT and seen.preflight is not None:
        return preflight.conclude_stage(seen.preflight, spent)
    if stage == PROBE and seen.probed is not None:
        return probe.conclude_stage(seen.probed, spent)
    if stage == WATCH and seen.ended is not None:
        return watch.conclude_stage(seen.ended, seen.run, spent)
    return _conclude_stage(stage, seen, folder, settings, spent + time.monotonic() - began)


def _conclude_stage(
    stage: str, seen: CaseEvidence, folder: CaseFolder, settings: RuleSettings, seconds: float
) -> StageResult:
    combined = seen.combined(folder.index.target, settings)
    if stage == DIAGNOSE:
        if seen.run is None and seen.crash is None:
            return _make_skipped(DIAGNOSE, diagnose.NO_RECORDING)
        return diagnose.conclude_stage(combined, seen.run, seconds)
    if seen.run is None and seen.preflight is None and not seen.rewards:
        return _make_skipped(QUESTION, "nothing was seen that it could ask")
    done = question.conclude_stage(combined, seen.run, seen.ended, folder.index.environment_word, seconds)
    return msgspec.structs.replace(done, facts=rewards.list_facts(seen.rewards))
