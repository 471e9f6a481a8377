"""`weaklink watch`: follows growing runs and tells what breaks as it breaks."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import (
    FailOnOption,
    FormatOption,
    IgnoreOption,
    MapOption,
    OpenOption,
    OutputFormat,
    OutputOption,
    SelectOption,
    ServeOption,
    SetOption,
    ShowAllOption,
    TokenOption,
)


def watch(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Logs, run folders or trees of runs.")],
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    names: MapOption = None,
    once: Annotated[bool, typer.Option("--once", help="Look once, tell everything, and end.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for a PATH that does not exist yet.")] = False,
    idle_exit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="End when no run has grown for so long.  [default: never]", min=0.0),
    ] = None,
    webhook: Annotated[
        str, typer.Option(metavar="URL", help="Post each finding from warn on to this address.", show_default=False)
    ] = "",
    serve: ServeOption = "",
    token: TokenOption = "",
    open_browser: OpenOption = False,
    show_all: ShowAllOption = False,
) -> None:
    """Follows growing runs and tells what breaks as it breaks.

    Ends with Ctrl-C or --idle-exit and the last verdict on each run. Exits with 0 when the last verdicts hold no
    finding of the level --fail-on, with 1 when there is one, and with 2 when something could not be read.
    """
    from weaklink.base.errors import UsageError
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.serving import ServeOptions
    from weaklink.cli.settings import gather_names, gather_settings
    from weaklink.cli.watching import EventScreen
    from weaklink.verbs.watch import WatchOptions
    from weaklink.verbs.watch import watch as follow

    if format not in (OutputFormat.TERMINAL, OutputFormat.JSON):
        raise UsageError(
            f"--format {format.value} is for a whole result: watch takes terminal or json, and --serve for the page."
        )
    if once and serve:
        raise UsageError("--once ends at once and leaves nothing to serve: leave out --once or --serve.")
    settings, level = gather_settings(select or (), ignore or (), thresholds or (), fail_on)
    options = WatchOptions(
        paths=tuple(paths),
        settings=settings,
        names=gather_names(names or ()),
        once=once,
        wait=wait,
        idle_exit=idle_exit,
        keep_runs=bool(serve),
        output=output,
    )
    page = ServeOptions(address=serve, token=token, open_browser=open_browser, show_all=show_all)
    screen = EventScreen(format, output, webhook)
    watched = follow(options, screen, lambda following: screen.beside(following, page))
    screen.close()
    raise typer.Exit(exit_status(level, watched.worst, unreadable=watched.unreadable))
