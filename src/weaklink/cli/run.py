"""`weaklink run`: a training script, unchanged, under the monitor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weaklink.base.backports import StrEnum
from weaklink.cli.options import (
    FailOn,
    FormatOption,
    IgnoreOption,
    OpenOption,
    OutputFormat,
    OutputOption,
    SelectOption,
    ServeOption,
    SetOption,
    ShowAllOption,
    TokenOption,
    VerboseOption,
)

if TYPE_CHECKING:
    from weaklink.cli.reporting import ResultReporter
    from weaklink.cli.serving import ServeOptions
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs.run.running import Ran

CONTEXT = {"allow_interspersed_args": False}
"""Whatever follows the script belongs to it."""


class StopOn(StrEnum):
    """The level of a finding that ends the training."""

    NEVER = "never"
    ERROR = "error"


def run(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="The script, or with -m the module.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[ARGS]...", help="Its own arguments.")] = None,
    module: Annotated[bool, typer.Option("-m", help="Run a module, as `python -m` does.")] = False,
    out: Annotated[
        str,
        typer.Option(
            metavar="FOLDER", help="Where recordings go.  [default: weaklink-runs/SCRIPT]", show_default=False
        ),
    ] = "",
    stop_on: Annotated[StopOn, typer.Option(help="Stop the training on a finding of this level.")] = StopOn.NEVER,
    budget: Annotated[float, typer.Option(metavar="SHARE", help="The share of the time to watch with.")] = 0.01,
    survey: Annotated[
        bool, typer.Option("--survey/--no-survey", help="Look at the environment beside the training.")
    ] = True,
    serve: ServeOption = "",
    token: TokenOption = "",
    open_browser: OpenOption = False,
    show_all: ShowAllOption = False,
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: Annotated[
        FailOn, typer.Option(help="Exit with 1 from this level of finding on, where the script itself exits with 0.")
    ] = FailOn.NEVER,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Runs a training script, unchanged, and says what broke in its training.

    Trainings by Stable-Baselines3, TorchRL, TRL and by hand are recorded and watched as they begin. The diagnosis comes
    on standard error after the script's end. The exit status and the signals are those of the script. On several ranks:
    `torchrun ... -m weaklink run SCRIPT`.
    """
    from weaklink.cli.reporting import ResultReporter
    from weaklink.cli.serving import ServeOptions
    from weaklink.cli.settings import gather_settings
    from weaklink.verbs.run.running import RunOptions
    from weaklink.verbs.run.running import run as run_script

    settings, _ = gather_settings(select or (), ignore or (), thresholds or (), fail_on)
    reporter = ResultReporter(format, output, show_all=show_all, aside=True, verbose=verbose)
    options = RunOptions(
        words=(script, *(arguments or ())),
        module=module,
        folder=out,
        on_error="stop" if stop_on is StopOn.ERROR else "continue",
        budget=budget,
        survey=survey,
        settings=settings,
    )

    serving = ServeOptions(address=serve, token=token, open_browser=open_browser, show_all=show_all)
    beside = partial(_serve, settings=settings, options=serving)
    ran = run_script(options, beside, reporter.tell)
    _report(ran, reporter)
    raise typer.Exit(_choose_status(ran, fail_on))


@contextmanager
def _serve(folder: Path, settings: RuleSettings, options: ServeOptions) -> Iterator[Callable[[], None]]:
    """Serves the page of what is recorded below a folder; gives what keeps it up to date."""
    from weaklink.cli.serving import serve_page
    from weaklink.verbs.watch.following import RunFollower

    following = RunFollower((folder,), settings, wait=True, keep_runs=True)
    with serve_page(following, options) as page:

        def look() -> None:
            for _ in page.noticed(following.turn()):
                pass
            page.refresh()

        yield look if options.address else lambda: None
        if options.address:
            look()


def _report(ran: Ran, reporter: ResultReporter) -> None:
    """Says what was found; whatever fails here, the end of the script is what counts."""
    from weaklink.cli.output import complain

    try:
        for note in ran.notes:
            complain(note)
        if ran.diagnosed is not None:
            reporter.finish(ran.diagnosed)
    except (Exception, KeyboardInterrupt) as error:
        with suppress(OSError):  # a terminal that was closed can be shown nothing any more
            complain(f"the diagnosis could not be shown: {error}. weaklink diagnose {ran.folder} shows it.")


def _choose_status(ran: Ran, fail_on: FailOn) -> int:
    """The script's own, unless it ended well and findings are to count."""
    from weaklink.cli.exit_status import exit_status
    from weaklink.verbs.run.process import end_like

    if ran.code:
        return end_like(ran.code)
    return exit_status(fail_on, None if ran.diagnosed is None else ran.diagnosed.worst)
