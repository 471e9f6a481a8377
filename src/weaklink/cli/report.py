"""`weaklink report`: what is known of runs or of a case, as one page to look at, or as text."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import Format, IgnoreOption, SelectOption, SetOption

FILE = "weaklink-report.html"


def report(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Logs, run folders, trees of runs, recordings, or the folder of a case."),
    ] = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="How to show it.")] = Format.HTML,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help=f"Where to write it.  [default: {FILE} for html]", show_default=False
        ),
    ] = "",
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    bugreport: Annotated[
        bool, typer.Option("--bugreport", help="Write the text of an issue for maintainers instead, without secrets.")
    ] = False,
    environment: Annotated[
        str,
        typer.Option("--env", metavar="ENV", help="The environment to look at for --bugreport.", show_default=False),
    ] = "",
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
) -> None:
    """Shows what is known of a run as one page: the loop, the link that broke, the curves that prove it.

    The page is one file that needs no network. Exits with 0, or with 2 when something could not be read: findings are
    what a report is for.
    """
    from weaklink.base.errors import UsageError
    from weaklink.cli.settings import gathered

    if bugreport:
        from weaklink.cli.bugreporting import write_bugreport

        write_bugreport(paths or (), environment, output)
        raise typer.Exit
    if environment:
        raise UsageError(f"--env {environment} is looked at for --bugreport: add it, or use `weaklink preflight`.")
    if not paths:
        raise UsageError("Name what to report on: a log, a run folder, a recording, or the folder of a case.")
    from weaklink.cli.report_pages import reported_pages

    settings, _ = gathered(select or (), ignore or (), thresholds or (), None)
    raise typer.Exit(reported_pages(paths, format, output or (FILE if format is Format.HTML else ""), settings, show))
