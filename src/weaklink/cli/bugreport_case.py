"""What a bug report takes from the folder of a case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.survey import Survey
from weaklink.base.outside.versions import versions
from weaklink.show.bugreport.material import Judgement, Material
from weaklink.verbs.debug.case import Case, StageResult
from weaklink.verbs.debug.debugging import read_case
from weaklink.verbs.debug.folder import CaseFolder


def material_of_case(place: Path) -> Material:
    """What is known of a project that was debugged."""
    case = read_case(place)
    survey = None if case.preflight is None else case.preflight.survey
    return Material(
        name=case.target.name,
        judgements=(Judgement(about="The project", diagnosis=case.diagnosis, run=case.run),) if case.stages else (),
        survey=survey,
        checklists=dict(case.checklists),
        config=_config(CaseFolder.read(place), case.run, survey),
        framework=case.run.framework if case.run else "",
        versions=versions(),
        context=case.run.context if case.run else {},
        tried=(*map(_tried, case.stages), *_minimal(case)),
        commands=_commands(case),
    )


def _config(folder: CaseFolder, run: Run | None, survey: Survey | None) -> Config:
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


def _tried(stage: StageResult) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in stage.facts)
    return f"{stage.stage}: {stage.state}, {stage.why}" + (f" ({facts})" if facts else "")


def _minimal(case: Case) -> tuple[str, ...]:
    return () if case.minimal is None else (f"the smallest agent: {case.minimal.headline}",)


def _commands(case: Case) -> tuple[str, ...]:
    target = case.target
    flags = [f"--algo {target.algorithm}"] if target.algorithm else []
    flags += [f"--env {target.environment}"] if target.environment else []
    word = Path(target.word).name if target.word else ""
    return (" ".join(("weaklink debug", *filter(None, (word, *flags)))),)
