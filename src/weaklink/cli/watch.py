"""`weaklink watch`: follows growing runs and tells what breaks as it breaks."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import FailOnOption, Format, FormatOption, IgnoreOption, OutputOption, SelectOption, SetOption


def watch(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Logs, run folders or trees of runs.")],
    format: FormatOption = Format.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    once: Annotated[bool, typer.Option("--once", help="Look once, tell everything, and end.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for a PATH that does not exist yet.")] = False,
    idle_exit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="End when no run has grown for so long.  [default: never]", min=0.0),
    ] = None,
    webhook: Annotated[
        str, typer.Option(metavar="URL", help="Post each finding from warn on to this address.", show_default=False)
    ] = "",
) -> None:
    """Follows growing runs and tells what breaks as it breaks.

    Ends with Ctrl-C or --idle-exit and the last verdict on each run. Exits with 0 when the last verdicts hold no
    finding of the level --fail-on, with 1 when there is one, and with 2 when something could not be read.
    """
    from weaklink.cli.settings import gathered
    from weaklink.cli.watching import Screen, check_watched_output
    from weaklink.errors import UsageError
    from weaklink.monitor.following import Following

    if format is Format.MARKDOWN:
        raise UsageError("--format markdown is for a whole result: watch takes terminal or json.")
    settings, level = gathered(select or (), ignore or (), thresholds or (), fail_on)
    following = Following(paths, settings, wait=wait)
    check_watched_output(output, paths)
    screen = Screen(format, output, webhook)
    try:
        with screen:
            if once:
                screen.tell(following.once())
            else:
                for events in following.follow(idle_exit):
                    screen.tell(events)
                    screen.stand(following.statuses)
                    if screen.closed:
                        break
    except KeyboardInterrupt:
        pass
    screen.tell(following.verdicts())
    screen.close()
    raise typer.Exit(screen.exit_code(level))
