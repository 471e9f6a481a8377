"""What `weaklink report --bugreport` gathers: a log, a recording or a case, an environment, and what is installed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.outside.versions import acceleration, own_names, versions
from weaklink.cli.output import Output
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.show.bugreport.material import Judgement, Material
from weaklink.show.bugreport.report import bugreport
from weaklink.verbs.debug.debugging import is_case

SURVEY_SECONDS = 4.0


def write_bugreport(paths: Sequence[str], environment: str, output: str) -> None:
    """Writes the text for an issue.

    Args:
        paths: at most one log, run folder, recording or case folder; without one, versions and the environment alone.
        environment: a Gymnasium id or `module:factory` to take a short look at.
        output: a file instead of standard output.

    Raises:
        UsageError: several paths, or one with several runs: an issue is about one.
    """
    if len(paths) > 1:
        raise UsageError(f"--bugreport is about one run and not about {len(paths)}: name one of them.")
    material = material_of(paths[0]) if paths else Material(versions=versions())
    material = replace(material, acceleration=acceleration(), names=(*own_names(), *material.names))
    if environment:
        material = _with_environment(material, environment)
    Output(output, document=True).write(bugreport(material))


def material_of(path: str) -> Material:
    """What a path holds: a case, or a run."""
    place = Path(path)
    if not path or not place.exists():
        raise UsageError(f"There is nothing at '{path}'. Name a log, a run folder, a recording or a case folder.")
    if is_case(place):
        from weaklink.cli.bugreport_case import material_of_case

        material = material_of_case(place)
        return replace(material, names=_names_in(material.config.raw, material.context))
    return _of_run(place)


def _of_run(place: Path) -> Material:
    run = read(place)
    shown = place.resolve().name
    return Material(
        name=run.name or shown,
        judgements=(Judgement(about="The training", diagnosis=diagnose(run), run=run),),
        config=run.config,
        framework=run.framework,
        versions=versions(),
        context=run.context,
        commands=(f"weaklink diagnose {shown}",),
        names=_names_in(run.config.raw, run.context),
    )


def _names_in(config: Mapping[str, Any], context: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of people, teams and machines that a log gives away."""
    found = [str(context.get("host", ""))]
    for name, value in config.items():
        last = str(name).lower().rpartition(".")[2].removeprefix("wandb_")
        if last in ("entity", "wandb_entity", "user", "username", "user_name", "host", "hostname", "team"):
            found.append(str(value))
    return tuple(name for name in found if name)


def _with_environment(material: Material, word: str) -> Material:
    """The material with a short survey of an environment."""
    from weaklink.cli.progress import progress
    from weaklink.collect.survey.plan import SurveyPlan
    from weaklink.verbs.preflight import preflight

    plan = SurveyPlan(seconds=SURVEY_SECONDS, episodes=20, steps=5_000)
    with progress(SURVEY_SECONDS) as report:
        flown = preflight(word, plan, config=dict(material.config.raw) or None, report=report)
    judgement = Judgement(about="The environment", diagnosis=flown.shown)
    return replace(
        material,
        survey=flown.survey,
        judgements=(*material.judgements, judgement),
        checklists={**material.checklists, "before training": flown.checklist},
        commands=(*material.commands, f"weaklink preflight {os.path.basename(word)}"),
    )
