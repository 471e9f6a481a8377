"""`weaklink debug`: the whole procedure in one command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from weaklink.base.errors import UsageError
from weaklink.cli.options import (
    AlgorithmOption,
    ChecklistOption,
    EnvironmentOption,
    FailOn,
    FailOnOption,
    FormatOption,
    IgnoreOption,
    OutputFormat,
    OutputOption,
    RayWorkOption,
    SelectOption,
    SetOption,
    SetUpOption,
    VerboseOption,
)

if TYPE_CHECKING:
    from weaklink.cli.output import OutputStream
    from weaklink.verbs.debug.options import DebugOptions


CONTEXT = {"ignore_unknown_options": True}
"""Options that weaklink does not have are those of a script."""


def debug(
    context: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="file.py, module or module:name with make_env and make_model or train, or a script; else an example.",
            show_default=False,
        ),
    ] = "",
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ARGS]...", help="Of a script; after -- where weaklink has an option of that name."),
    ] = None,
    algorithm: AlgorithmOption = "",
    environment: EnvironmentOption = "",
    set_up: SetUpOption = None,
    seconds: Annotated[float, typer.Option(help="How long the stages may take together.")] = 100.0,
    steps: Annotated[
        int, typer.Option(metavar="N", help="Steps to watch.  [default: the target's, or 50000]", show_default=False)
    ] = 0,
    seed: Annotated[int, typer.Option(help="The seed of every random choice.")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="Go on after the first broken link.")] = False,
    skip: Annotated[
        list[str] | None,
        typer.Option(metavar="STAGE", help="Leave out: preflight, probe, watch, diagnose or question."),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="STAGE", help="Carry out this stage alone.")] = None,
    folder: Annotated[
        str,
        typer.Option(
            "--case", metavar="FOLDER", help="Keep it here.  [default: weaklink-case/NAME]", show_default=False
        ),
    ] = "",
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat stages that were finished before.")] = False,
    minimal: Annotated[
        bool, typer.Option("--minimal", help="In an emergency: the smallest agent on the easiest version of the task.")
    ] = False,
    each: Annotated[
        bool, typer.Option("--each", help="Every word is a target of its own: --each projects/*.py.")
    ] = False,
    ray: RayWorkOption = "",
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    checklists: ChecklistOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Walks through the whole procedure: preflight, probe, a watched training, diagnosis, then reward and task.

    Stops at the first broken link and says how to prove and mend it. Everything is kept in one folder; a finished
    stage is not repeated. With --each many targets are debugged, and a table shows them. Exits with 0 when there is no
    finding of the level --fail-on, with 1 when there is one, and with 2 on wrong use.
    """
    from weaklink.cli.output import OutputStream
    from weaklink.cli.probe_ways import check_arguments
    from weaklink.cli.settings import gather_settings
    from weaklink.verbs.cluster import lend_cluster
    from weaklink.verbs.debug.options import DebugOptions
    from weaklink.verbs.debug.target import make_example_target, parse_target

    words = (target, *(arguments or ()))
    if each:
        _check_each(context, words, format, alone=bool(algorithm or environment or set_up or minimal))
    else:
        check_arguments(context, target, arguments or ())
    settings, level = gather_settings(select or (), ignore or (), thresholds or (), fail_on)
    if each:
        wanted = parse_target(target)
    elif target or algorithm or environment:
        wanted = parse_target(
            target, algorithm=algorithm, environment=environment, settings=set_up or (), arguments=arguments or ()
        )
    else:
        wanted = make_example_target(set_up or ())
    options = DebugOptions(
        target=wanted,
        folder=folder,
        seconds=seconds,
        steps=steps,
        seed=seed,
        everything=everything,
        skip=tuple(skip or ()),
        only=tuple(only or ()),
        fresh=fresh,
        settings=settings,
    )
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    with lend_cluster(ray):
        if each:
            status = _debug_each(options, words, format, out, level)
        elif minimal:
            status = _minimise(options, format, out, level)
        else:
            status = _debug(options, format, out, level, verbose=verbose, checklists=checklists)
    raise typer.Exit(status)


def _debug(
    options: DebugOptions,
    format: OutputFormat,
    out: OutputStream,
    fail_on: FailOn,
    *,
    verbose: bool,
    checklists: bool,
) -> int:
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.keeping import keep_case
    from weaklink.cli.staging import show_stages
    from weaklink.verbs.debug.debugging import debug as walk

    with show_stages() as listener:
        case = walk(options, listener)
    out.show(case, format, verbose=verbose, checklists=checklists, files=keep_case(case))
    return exit_status(fail_on, case.diagnosis.worst, stopped=case.stopped)


def _check_each(context: typer.Context, words: Sequence[str], format: OutputFormat, *, alone: bool) -> None:
    """Refuses what goes with one target only."""
    wrong = next((word for word in words if word.startswith("-")), "")
    if wrong or not words[0]:
        context.fail(f"No such option: {wrong}." if wrong else "--each needs targets: --each projects/*.py.")
    if alone:
        raise UsageError("--each takes targets with parts of their own: leave out --algo, --env, --set-up, --minimal.")
    if format not in (OutputFormat.TERMINAL, OutputFormat.JSON):
        raise UsageError("--each shows a table, or JSON with --format json; each case keeps its own page and text.")


def _debug_each(
    options: DebugOptions, words: Sequence[str], format: OutputFormat, out: OutputStream, fail_on: FailOn
) -> int:
    from msgspec.structs import replace

    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.keeping import keep_case
    from weaklink.cli.output import complain
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.debug.several import Told, debug_several, place_targets
    from weaklink.verbs.debug.target import parse_target

    targets = [parse_target(word) for word in words]
    places = place_targets(targets, str(options.folder))
    wanted = [replace(options, target=one, folder=place) for one, place in zip(targets, places, strict=True)]

    def tell(told: Told) -> None:
        if isinstance(told, Case):
            keep_case(told)
        if format is OutputFormat.JSON:
            out.show(told, format)

    debugged = debug_several(wanted, tell)
    if format is not OutputFormat.JSON:
        out.show(debugged, format, one_line_each=True)
        for failure in debugged.failures:
            complain(failure.message)
    return exit_status(fail_on, debugged.worst, unreadable=bool(debugged.failures), stopped=debugged.stopped)


def _minimise(options: DebugOptions, format: OutputFormat, out: OutputStream, fail_on: FailOn) -> int:
    from weaklink.base.finding import Level
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.keeping import keep_minimal
    from weaklink.cli.progress import show_progress
    from weaklink.verbs.debug.minimal.procedure import minimise

    with show_progress(options.seconds) as report:
        result = minimise(options, report)
    out.show(result, format, files=keep_minimal(result, options.place))
    return exit_status(fail_on, Level.ERROR if result.works is False else None, stopped=result.stopped)
