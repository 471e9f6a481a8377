"""`weaklink fit-critic`: can the critic alone learn the returns of one fixed rollout?"""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import (
    AlgorithmOption,
    EnvironmentOption,
    Format,
    FormatOption,
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
    format: FormatOption = Format.TERMINAL,
    output: OutputOption = "",
) -> None:
    """Freezes the policy, takes one rollout and trains the critic alone on its returns.

    Tells a critic that cannot learn from one whose targets move: beside it stand a fresh network of the same shape, a
    line, a table and a constant. Exits with 1 when the critic cannot fit, with 0 otherwise, and with 2 on wrong use.
    """
    from weaklink.cli.experimenting import fitted
    from weaklink.cli.output import Output
    from weaklink.verbs.confirm.confirm import subject_of
    from weaklink.verbs.confirm.plan import ExperimentPlan

    subject = subject_of(target, algorithm=algorithm, environment=environment, settings=set_up or ())
    plan = ExperimentPlan(first_seed=seed, steps=steps, seconds=seconds)
    out = Output(output, document=format is not Format.TERMINAL)
    raise typer.Exit(fitted(subject, plan, rows, format, out))
