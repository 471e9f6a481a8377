"""`weaklink compare`: evaluations, runs and groups of seeds side by side, where they may be."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import (
    FailOnOption,
    FormatOption,
    IgnoreOption,
    OutputFormat,
    OutputOption,
    SelectOption,
    SetOption,
)


def compare(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="A B ...", help="Evaluations, runs, or groups of seeds such as 'runs/ppo_*'."),
    ] = None,
    train: Annotated[
        str, typer.Option(metavar="FILE", help="Look for evaluation items in this training data.", show_default=False)
    ] = "",
    evaluation: Annotated[
        str, typer.Option(metavar="FILE", help="The evaluation items to look for in --train.", show_default=False)
    ] = "",
    anyway: Annotated[bool, typer.Option("--anyway", help="Show scores that may not be compared, marked.")] = False,
    metric: Annotated[
        str,
        typer.Option(metavar="NAME", help="Score runs by this, such as evaluation.return.", show_default=False),
    ] = "",
    target: Annotated[
        float | None, typer.Option(metavar="SCORE", help="A score to reach: how far each stays below it.")
    ] = None,
    keep: Annotated[
        str,
        typer.Option(metavar="NAME", help="What you choose by this: noted with the look.", show_default=False),
    ] = "",
    ledger: Annotated[
        str, typer.Option(metavar="FILE", help="Where looks at splits are counted.", show_default=False)
    ] = "",
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 0,
    ray: Annotated[
        str,
        typer.Option(
            "--ray", metavar="ADDRESS", help="Read on a Ray cluster, or by a Ray of our own: local.", show_default=False
        ),
    ] = "",
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
) -> None:
    """Compares evaluations, runs or groups of seeds, and refuses where their protocols differ.

    The first is what the others are compared with. With --train and --evaluation it says which evaluation items stand
    in the training data. Exits with 1 where there is a finding of the level --fail-on, with 2 on bad input.
    """
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.output import OutputStream
    from weaklink.cli.progress import show_rows_read
    from weaklink.cli.settings import gather_settings
    from weaklink.verbs.compare import CompareOptions
    from weaklink.verbs.compare import compare as compare_paths

    settings, level = gather_settings(select or (), ignore or (), thresholds or (), fail_on)
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    options = CompareOptions(
        paths=tuple(paths or ()),
        train=train,
        evaluation=evaluation,
        metric=metric,
        target=target,
        anyway=anyway,
        ledger=ledger,
        keep=keep,
        seed=seed,
        ray=ray,
        settings=settings,
    )
    with show_rows_read() as report:
        compared = compare_paths(options, report)
    out.show(compared, format)
    raise typer.Exit(exit_status(level, compared.diagnosis.worst))
