"""`weaklink fit-critic`: can the critic alone learn the returns of one fixed rollout?"""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import Format, FormatOption, OutputOption


def fit_critic(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="file.py, module or module:name with make_env and make_model or train; or a case folder.",
            show_default=False,
        ),
    ] = "",
    algorithm: Annotated[
        str, typer.Option("--algo", metavar="NAME", help="The model of this, such as sb3:PPO.", show_default=False)
    ] = "",
    environment: Annotated[
        str,
        typer.Option("--env", metavar="ENV", help="In this: a Gymnasium id, or module:factory.", show_default=False),
    ] = "",
    set_up: Annotated[
        list[str] | None,
        typer.Option("--set-up", metavar="NAME=VALUE", help="A hyper-parameter of --algo, such as learning_rate=0.1."),
    ] = None,
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
    from weaklink.experiments.confirm import subject_of
    from weaklink.experiments.plan import Plan

    subject = subject_of(target, algorithm=algorithm, environment=environment, settings=set_up or ())
    plan = Plan(first_seed=seed, steps=steps, seconds=seconds)
    out = Output(output, document=format is not Format.TERMINAL)
    raise typer.Exit(fitted(subject, plan, rows, format, out))
