"""`weaklink report`: what is known of runs or of a case, as one page to look at, or as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weaklink.cli.options import (
    FailOn,
    IgnoreOption,
    MapOption,
    OutputFormat,
    SelectOption,
    SetOption,
    ShowAllOption,
    require_page,
)

if TYPE_CHECKING:
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.report import ReportOptions

FILE = "weaklink-report.html"


def report(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH...", help="Logs, run folders, trees of runs, recordings, or the folder of a case."
        ),
    ] = None,
    format: Annotated[OutputFormat, typer.Option("--format", "-f", help="How to show it.")] = OutputFormat.HTML,
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
    show_all: ShowAllOption = False,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    names: MapOption = None,
) -> None:
    """Shows what is known of a run as one page: the loop, the link that broke, the curves that prove it.

    The page is one file that needs no network. Exits with 0, or with 2 when something could not be read: findings are
    what a report is for.
    """
    from weaklink.base.errors import UsageError
    from weaklink.cli.settings import gather_names, gather_settings
    from weaklink.verbs.report import ReportOptions

    if bugreport:
        _write_bugreport(paths or (), environment, output)
        raise typer.Exit
    if environment:
        raise UsageError(f"--env {environment} is looked at for --bugreport: add it, or use `weaklink preflight`.")
    if show and format is not OutputFormat.HTML:
        raise UsageError(f"--open opens a page, and --format {format.value} makes none. Leave one of the two out.")
    settings, _ = gather_settings(select or (), ignore or (), thresholds or (), None)
    file = output or (FILE if format is OutputFormat.HTML else "")
    options = ReportOptions(paths=tuple(paths or ()), settings=settings, names=gather_names(names or ()), output=file)
    raise typer.Exit(_show_report(options, format, show=show, show_all=show_all))


def _show_report(options: ReportOptions, format: OutputFormat, *, show: bool, show_all: bool) -> int:
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.reporting import ResultReporter
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.report import report as report_on

    require_page(format)
    output = options.output
    reporting = ResultReporter(format, output, show_all=show_all)
    found = report_on(options, reporting.tell, reporting.around)
    if isinstance(found, Case):
        _show_case(found, format, output, show_all=show_all)
    else:
        reporting.finish(found)
    if output and (isinstance(found, Case) or found.runs):
        _announce(output, show)
    if isinstance(found, Case):
        return 0
    return exit_status(
        FailOn.NEVER, None, unreadable=bool(found.failures), own_fault=found.own_fault, stopped=found.stopped
    )


def _show_case(case: Case, format: OutputFormat, output: str, *, show_all: bool) -> None:
    from weaklink.cli.output import OutputStream

    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    out.show(case.minimal if case.minimal is not None and not case.stages else case, format, show_all=show_all)


def _write_bugreport(paths: Sequence[str], environment: str, output: str) -> None:
    from weaklink.cli.output import OutputStream
    from weaklink.cli.progress import show_progress
    from weaklink.show.bugreport.report import write_bugreport
    from weaklink.verbs.bugreport import SURVEY, BugreportOptions, gather_bugreport

    with show_progress(SURVEY.seconds if environment else None) as report:
        material = gather_bugreport(BugreportOptions(paths=tuple(paths), environment=environment), report)
    OutputStream(output, document=True).write(write_bugreport(material))


def _announce(output: str, show: bool) -> None:
    import sys

    from weaklink.cli.browser import open_in_browser
    from weaklink.cli.output import complain

    file = Path(output).resolve()
    print(f"weaklink: the report is {output} ({file.stat().st_size / 1e6:.2f} MB)", file=sys.stderr)
    if show and not open_in_browser(file.as_uri()):
        complain("no browser could be opened from here: open the file yourself.")
