"""`weaklink confirm`: carries out the experiment that proves a finding, or not."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import (
    AlgorithmOption,
    EnvironmentOption,
    FailOn,
    FailOnOption,
    FormatOption,
    OutputFormat,
    OutputOption,
    RayWorkOption,
    SetUpOption,
)


def confirm(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The finding: a code such as POL303, or its name.")],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="file.py, module or module:name with make_env and make_model or train; or a case folder.",
            show_default=False,
        ),
    ] = "",
    algorithm: AlgorithmOption = "",
    environment: EnvironmentOption = "",
    set_up: SetUpOption = None,
    seeds: Annotated[int, typer.Option(help="Seeds of each arm.")] = 5,
    seed: Annotated[int, typer.Option(help="The first of them.")] = 1,
    steps: Annotated[
        int,
        typer.Option(metavar="N", help="Steps of each run.  [default: as in the case or target]", show_default=False),
    ] = 0,
    seconds: Annotated[float, typer.Option(help="How long the whole may take.")] = 300.0,
    workers: Annotated[int, typer.Option(help="Runs side by side.  [default: one a core]", show_default=False)] = 0,
    ray: RayWorkOption = "",
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
) -> None:
    """Carries out the experiment that proves a finding: one variable changed, several seeds, a short run, a test.

    Says confirmed, refuted or undecided, with the numbers. Exits with 1 when a finding of the level --fail-on is
    confirmed, with 0 when it is not, with 2 on wrong use, and with 130 after Ctrl-C.
    """
    from weaklink.base.finding import Level
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.output import OutputStream
    from weaklink.cli.progress import show_counted
    from weaklink.verbs.cluster import lend_cluster
    from weaklink.verbs.confirm.experiment import ExperimentVerdict
    from weaklink.verbs.confirm.experimenting import ConfirmOptions
    from weaklink.verbs.confirm.experimenting import confirm as prove
    from weaklink.verbs.confirm.plan import ExperimentPlan, parse_subject

    options = ConfirmOptions(
        code=code,
        subject=parse_subject(target, algorithm=algorithm, environment=environment, hyper_parameters=set_up or ()),
        plan=ExperimentPlan(seeds=seeds, first_seed=seed, steps=steps, seconds=seconds, workers=workers),
    )
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    with show_counted() as report, lend_cluster(ray):
        answer = prove(options, report)
    out.show(answer, format)
    worst = Level[answer.level.upper()] if answer.verdict is ExperimentVerdict.CONFIRMED else None
    raise typer.Exit(exit_status(fail_on or FailOn.WARN, worst, stopped=answer.stopped))
