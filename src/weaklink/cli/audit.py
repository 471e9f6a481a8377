"""`weaklink audit`: completions and trajectories beside what was paid for them, and the verifier that pays."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.base.backports import StrEnum
from weaklink.cli.options import (
    FailOnOption,
    FormatOption,
    IgnoreOption,
    OutputFormat,
    OutputOption,
    SelectOption,
    SetOption,
    VerboseOption,
)


class CallStyle(StrEnum):
    """How a verifier is called."""

    AUTO = "auto"
    TRL = "trl"
    VERL = "verl"
    PLAIN = "plain"


def audit(
    samples: Annotated[
        str,
        typer.Argument(
            metavar="[SAMPLES]", help="Completions or trajectories: a file or a folder.", show_default=False
        ),
    ] = "",
    run: Annotated[
        str, typer.Option("--run", metavar="LOG", help="The log of the same training.", show_default=False)
    ] = "",
    baseline: Annotated[
        str, typer.Option(metavar="SAMPLES", help="Samples from before training, to compare with.", show_default=False)
    ] = "",
    verifier: Annotated[
        str, typer.Option(metavar="MODULE:FN", help="Try this reward function.", show_default=False)
    ] = "",
    cases: Annotated[
        str,
        typer.Option(metavar="FILE", help="Prompts and answers to try it on (JSON Lines).", show_default=False),
    ] = "",
    style: Annotated[CallStyle, typer.Option(help="How the reward function is called.")] = CallStyle.AUTO,
    seconds: Annotated[float, typer.Option(help="How long trying the reward function may take.")] = 60.0,
    seed: Annotated[int, typer.Option(help="The seed of every random choice.")] = 0,
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Looks at what a language model or an agent wrote, and at what was paid for it.

    Shows the best paid, the worst paid and random samples side by side, finds rewards that pay for something else than
    the task, and with --verifier tries the reward function itself. Exits with 0 when there is no finding of the level
    --fail-on, with 1 when there is one, and with 2 on wrong use.
    """
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.output import OutputStream, complain
    from weaklink.cli.progress import show_rows_read
    from weaklink.cli.settings import gather_settings
    from weaklink.verbs.audit import AuditOptions
    from weaklink.verbs.audit import audit as look

    settings, level = gather_settings(select or (), ignore or (), thresholds or (), fail_on)
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    options = AuditOptions(
        samples=samples or None,
        run=run or None,
        baseline=baseline or None,
        verifier=verifier or None,
        cases=cases or None,
        style=style.value,
        seconds=seconds,
        seed=seed,
        settings=settings,
        output=output,
    )
    with show_rows_read() as report:
        result = look(options, report)
    out.show(result, format, verbose=verbose)
    if result.stopped:
        complain("stopped; what was read until then has been judged.")
    raise typer.Exit(exit_status(level, result.diagnosis.worst, stopped=result.stopped))
