"""`weaklink fit-critic`: can the critic alone learn the returns of one fixed rollout?"""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import (
    AlgorithmOption,
    EnvironmentOption,
    FailOn,
    FormatOption,
    OutputFormat,
    OutputOption,
    SetUpOption,
)


def fit_critic(
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
    steps: Annotated[
        int,
        typer.Option(metavar="N", help="Train first.  [default: as in the case or target]", show_default=False),
    ] = -1,
    rows: Annotated[int, typer.Option(help="Steps of the rollout.")] = 4096,
    seed: Annotated[int, typer.Option(help="The seed of every random choice.")] = 1,
    seconds: Annotated[float, typer.Option(help="How long the whole may take.")] = 120.0,
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
) -> None:
    """Freezes the policy, takes one rollout and trains the critic alone on its returns.

    Tells a critic that cannot learn from one whose targets move: beside it stand a fresh network of the same shape, a
    line, a table and a constant. Exits with 1 when the critic cannot fit, with 0 otherwise, and with 2 on wrong use.
    """
    from weaklink.base.finding import Level
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.output import OutputStream
    from weaklink.cli.progress import show_counted
    from weaklink.verbs.confirm.critic import judge_fit
    from weaklink.verbs.confirm.plan import ExperimentPlan, parse_subject
    from weaklink.verbs.fit_critic import FitCriticOptions
    from weaklink.verbs.fit_critic import fit_critic as fit_alone

    subject = parse_subject(target, algorithm=algorithm, environment=environment, hyper_parameters=set_up or ())
    plan = ExperimentPlan(first_seed=seed, steps=steps, seconds=seconds)
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    with show_counted() as report:
        fit = fit_alone(FitCriticOptions(subject=subject, plan=plan, rows=rows), report)
    out.show(fit, format, name=subject.target.word or subject.target.name)
    raise typer.Exit(exit_status(FailOn.WARN, Level.WARN if judge_fit(fit)[0] else None))
