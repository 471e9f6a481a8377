"""`report --bugreport`: what is known for an issue: a log, a recording or a case, an environment, what is installed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.survey import Survey
from weaklink.base.outside.versions import describe_accelerators, list_own_names, read_versions
from weaklink.collect.readers import read
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.session import Report
from weaklink.judge.diagnosis.checklists import ChecklistItem
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.verbs.debug.case import Case, StageResult
from weaklink.verbs.debug.debugging import is_case, read_case
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.preflight import PreflightOptions, run_preflight

SURVEY = SurveyPlan(seconds=4.0, episodes=20, steps=5_000)
"""A short look, so that an issue is written in seconds."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One thing that was judged: a run, an environment, a trainer. `about` says which, in a few words."""

    about: str
    diagnosis: Diagnosis
    run: Run | None = None


@dataclass(frozen=True, kw_only=True)
class ReportMaterial:
    """All that is known.

    `versions` are those of this machine, `context` what a recording says of its own (versions, seeds, command,
    commit). `tried` tells in sentences what was done already and what came of it, `commands` how to do it again.
    `names` are words to hide wherever they stand.
    """

    name: str = ""
    judgements: tuple[Judgement, ...] = ()
    survey: Survey | None = None
    checklists: Mapping[str, tuple[ChecklistItem, ...]] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    framework: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    acceleration: Mapping[str, str] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    tried: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs among what was judged."""
        return tuple(one.run for one in self.judgements if one.run is not None)


class BugreportOptions(msgspec.Struct, frozen=True, kw_only=True):
    """At most one log, run folder, recording or case folder; without one, versions and the environment alone.

    `environment` is a Gymnasium id or `module:factory` to take a short look at.
    """

    paths: tuple[str, ...] = ()
    environment: str = ""


def gather_bugreport(options: BugreportOptions, report: Report | None = None) -> ReportMaterial:
    """Gathers what goes into the text for an issue.

    Raises:
        UsageError: several paths, or one with several runs: an issue is about one.
    """
    paths = options.paths
    if len(paths) > 1:
        raise UsageError(f"--bugreport is about one run and not about {len(paths)}: name one of them.")
    material = collect_material(paths[0]) if paths else ReportMaterial(versions=read_versions())
    material = replace(material, acceleration=describe_accelerators(), names=list_own_names())
    return _add_environment(material, options.environment, report) if options.environment else material


def collect_material(path: str) -> ReportMaterial:
    """What a path holds: a case, or a run."""
    place = Path(path)
    if not path or not place.exists():
        raise UsageError(f"There is nothing at '{path}'. Name a log, a run folder, a recording or a case folder.")
    if is_case(place):
        return _collect_case(place)
    return _collect_run(place)


def _collect_run(place: Path) -> ReportMaterial:
    run = read(place)
    shown = place.resolve().name
    return ReportMaterial(
        name=run.name or shown,
        judgements=(Judgement(about="The training", diagnosis=diagnose(run), run=run),),
        config=run.config,
        framework=run.framework,
        versions=read_versions(),
        context=run.context,
        commands=(f"weaklink diagnose {shown}",),
    )


def _add_environment(material: ReportMaterial, word: str, report: Report | None) -> ReportMaterial:
    """The material with a short survey of an environment."""
    flown = run_preflight(PreflightOptions(environment=word, plan=SURVEY, config=dict(material.config.raw)), report)
    judgement = Judgement(about="The environment", diagnosis=flown.shown)
    return replace(
        material,
        survey=flown.survey,
        judgements=(*material.judgements, judgement),
        checklists={**material.checklists, "before training": flown.checklist},
        commands=(*material.commands, f"weaklink preflight {os.path.basename(word)}"),
    )


def _collect_case(place: Path) -> ReportMaterial:
    """What is known of a project that was debugged."""
    case = read_case(place)
    survey = None if case.preflight is None else case.preflight.survey
    return ReportMaterial(
        name=case.target.name,
        judgements=(Judgement(about="The project", diagnosis=case.diagnosis, run=case.run),) if case.stages else (),
        survey=survey,
        checklists=dict(case.checklists),
        config=_pick_config(CaseFolder.read(place), case.run, survey),
        framework=case.run.framework if case.run else "",
        versions=read_versions(),
        context=case.run.context if case.run else {},
        tried=(*map(_tell_stage, case.stages), *_describe_minimal(case)),
        commands=_list_commands(case),
    )


def _pick_config(folder: CaseFolder, run: Run | None, survey: Survey | None) -> Config:
    """Hyper-parameters: those that were recorded, else those of the model, else what the target says."""
    index = folder.index
    said: dict[str, Any] = dict(index.look.config) if index.look else {}
    if index.model is not None:
        said |= {"algorithm": index.model.algorithm, **index.model.settings} if index.model.algorithm else {}
    if index.target.environment:
        said.setdefault("env_id", index.target.environment)
    if run is not None:
        said |= dict(run.config.raw)
    elif survey is not None:
        said |= dict(survey.config.raw)
    return Config.of(said)


def _tell_stage(stage: StageResult) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in stage.facts)
    return f"{stage.stage}: {stage.state}, {stage.why}" + (f" ({facts})" if facts else "")


def _describe_minimal(case: Case) -> tuple[str, ...]:
    return () if case.minimal is None else (f"the smallest agent: {case.minimal.headline}",)


def _list_commands(case: Case) -> tuple[str, ...]:
    target = case.target
    flags = [f"--algo {target.algorithm}"] if target.algorithm else []
    flags += [f"--env {target.environment}"] if target.environment else []
    word = Path(target.word).name if target.word else ""
    return (" ".join(("weaklink debug", *filter(None, (word, *flags)))),)
