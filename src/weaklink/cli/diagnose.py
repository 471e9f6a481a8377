"""`weaklink diagnose`: which link broke first, from logs."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import (
    FailOnOption,
    FormatOption,
    IgnoreOption,
    MapOption,
    OutOption,
    OutputFormat,
    OutputOption,
    RayOption,
    SelectOption,
    SetOption,
    VerboseOption,
    WorkersOption,
)


def diagnose(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...", help="Logs, run folders, trees or s3:// addresses of runs, or - for standard input."
        ),
    ],
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    names: MapOption = None,
    verbose: VerboseOption = False,
    symptom: Annotated[
        str, typer.Option(metavar="TEXT", help='Start from what you see, such as "reward flat".', show_default=False)
    ] = "",
    out: OutOption = "",
    workers: WorkersOption = 0,
    ray: RayOption = "",
) -> None:
    """Says which link of a training loop broke first, from its logs.

    Exits with 0 when there is no finding of the level --fail-on, with 1 when there is one, with 2 when something
    could not be read, and with 3 when weaklink itself failed.
    """
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.reporting import ResultReporter
    from weaklink.cli.settings import gather_names, gather_settings
    from weaklink.judge.diagnosis.symptoms import find_symptom as known_symptom
    from weaklink.verbs.diagnose import DiagnoseOptions
    from weaklink.verbs.diagnose import diagnose as diagnose_logs
    from weaklink.verbs.fleet.crew import FleetCrew

    settings, level = gather_settings(select or (), ignore or (), thresholds or (), fail_on)
    seen = known_symptom(symptom) if symptom else None
    reporting = ResultReporter(format, output, seen, verbose=verbose)
    options = DiagnoseOptions(
        paths=tuple(paths),
        settings=settings,
        names=gather_names(names or ()),
        symptom=seen,
        output=output,
        crew=FleetCrew(workers=workers, out=out, ray=ray),
    )
    diagnosed = diagnose_logs(options, reporting.tell, reporting.around)
    reporting.finish(diagnosed)
    raise typer.Exit(
        exit_status(
            level,
            diagnosed.worst,
            unreadable=bool(diagnosed.failures),
            own_fault=diagnosed.own_fault,
            stopped=diagnosed.stopped,
        )
    )
