"""`weaklink probe`: which component of a trainer is broken? The ladder, kernel checks, and a reference."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from weaklink.cli.options import (
    FailOn,
    FailOnOption,
    FormatOption,
    IgnoreOption,
    OutputFormat,
    OutputOption,
    RayWorkOption,
    SelectOption,
    SetOption,
    VerboseOption,
)

if TYPE_CHECKING:
    from weaklink.cli.probe_ways import ProbeRequest
    from weaklink.collect.probes.scouting import ScriptSetup

CONTEXT = {"ignore_unknown_options": True}
"""Options that weaklink does not have are those of a script."""

Show = Callable[[object], None]
"""Shows a result as the options ask for it."""


def probe(
    context: typer.Context,
    trainer: Annotated[
        str,
        typer.Argument(
            metavar="TRAINER",
            help="A script train.py; sb3:PPO, sb3_contrib:TQC, torchrl:PPO, trl:GRPO; or module:train (file.py:train).",
            show_default=False,
        ),
    ] = "",
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ARGS]...", help="Of the script; after -- where weaklink has an option of that name."),
    ] = None,
    command: Annotated[
        str,
        typer.Option(
            "--cmd",
            metavar="COMMAND",
            help='Probe any script instead: "python train.py --env-id {env} --total-timesteps {steps} --seed {seed}".',
            show_default=False,
        ),
    ] = "",
    kernels: Annotated[
        str,
        typer.Option(metavar="MODULE", help="Check the kernels of a module or file.py instead.", show_default=False),
    ] = "",
    against: Annotated[
        str,
        typer.Option(metavar="TRAINER", help="Compare with this trainer on --env instead.", show_default=False),
    ] = "",
    environment: Annotated[
        str,
        typer.Option("--env", metavar="ENV", help="The environment for --against.", show_default=False),
    ] = "",
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="RUNG", help="Climb only this rung: a code, a name, an environment."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Go on after the first broken rung.")] = False,
    actions: Annotated[str, typer.Option(help="Which form: auto, discrete, continuous or both.")] = "auto",
    config: Annotated[
        str,
        typer.Option(metavar="FILE", help="Hyper-parameters for --as-configured or --against.", show_default=False),
    ] = "",
    as_configured: Annotated[
        bool, typer.Option("--as-configured", help="Train with your own hyper-parameters, not with the ladder's.")
    ] = False,
    recurrent: Annotated[bool, typer.Option("--recurrent", help="The script is recurrent.")] = False,
    seeds: Annotated[
        int,
        typer.Option(
            help="Trainings of each rung.  [default: 3; of a script 1, and 2 more where it misses]", show_default=False
        ),
    ] = 3,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 0,
    steps: Annotated[
        int,
        typer.Option(metavar="N", help="Steps of the shortest training.  [default: by trainer]", show_default=False),
    ] = 0,
    gamma: Annotated[
        float | None,
        typer.Option(help="The discount to train with, or the one that the trainer uses.", show_default=False),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            help="Seconds that one training may take.  [default: 300, with --against 1800]", show_default=False
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="N", help="Seconds for the whole climb.  [default: no limit]", show_default=False)
    ] = 0.0,
    workers: Annotated[
        int, typer.Option(help="Trainings side by side.  [default: one a core]", show_default=False)
    ] = 0,
    in_process: Annotated[bool, typer.Option("--in-process", help="Train without processes of their own.")] = False,
    ray: RayWorkOption = "",
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Finds the broken component of a trainer on small environments with known answers.

    Trains on one rung after the other, each needing one component more than those before, and compares what was
    learned with the exact answer. Stops at the first broken rung. Exits with 0 when there is no finding of the level
    --fail-on, with 1 when there is one, and with 2 on wrong use.
    """
    from weaklink.cli.output import OutputStream
    from weaklink.cli.probe_ways import ProbeRequest, check_arguments, check_way, list_given_options
    from weaklink.cli.settings import gather_settings
    from weaklink.collect.probes.plan import ProbePlan
    from weaklink.verbs.cluster import lend_cluster

    check_arguments(context, trainer, arguments or ())
    settings, level = gather_settings(select or (), ignore or (), thresholds or (), fail_on)
    asked = ProbeRequest(
        trainer=trainer,
        arguments=tuple(arguments or ()),
        command=command,
        kernels=kernels,
        against=against,
        environment=environment,
        config=config,
        as_configured=as_configured,
        recurrent=recurrent,
        in_process=in_process,
        timeout=timeout,
        plan=ProbePlan(
            seeds=seeds,
            first_seed=seed,
            steps=steps,
            actions=actions,
            only=tuple(only or ()),
            everything=everything,
            timeout=ProbePlan().timeout if timeout is None else timeout,
            gamma=gamma,
            workers=workers,
            seconds=seconds,
        ),
        settings=settings,
        given=list_given_options(context),
    )
    check_way(asked)
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    way = _check_kernels if kernels else _compare if against else _climb
    with lend_cluster(ray):
        status = way(asked, partial(out.show, format=format, verbose=verbose), level)
    raise typer.Exit(status)


def _climb(asked: ProbeRequest, show: Show, fail_on: FailOn) -> int:
    from weaklink.base.outside.own_code import redirect_prints
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.progress import show_counted
    from weaklink.verbs.probe import ProbeOptions
    from weaklink.verbs.probe import probe as climb

    options = ProbeOptions(
        trainer="" if asked.is_script else asked.trainer,
        script=asked.trainer if asked.is_script else "",
        arguments=asked.arguments,
        command=asked.command,
        recurrent=asked.recurrent,
        plan=asked.plan,
        config=asked.config if asked.as_configured else None,
        isolate=not asked.in_process,
        settings=asked.settings,
    )
    with show_counted() as report, redirect_prints():
        probed = climb(options, report, _tell_setup)
    show(probed)
    return exit_status(fail_on, probed.diagnosis.worst, stopped=probed.outcome.stopped)


def _tell_setup(setup: ScriptSetup) -> None:
    """Says which command is run, and what was not found, before the first training begins."""
    from weaklink.cli.output import complain

    shaped = f", in place of {' and '.join(setup.asked)}" if setup.in_place and setup.asked else ""
    complain(f"each training runs: {setup.command} ({setup.kind} actions{shaped})")
    for note in setup.notes:
        complain(note)


def _compare(asked: ProbeRequest, show: Show, fail_on: FailOn) -> int:
    from weaklink.base.outside.own_code import redirect_prints
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.progress import show_counted
    from weaklink.verbs.against import AgainstOptions, compare_trainers

    plan = asked.plan
    options = AgainstOptions(
        trainer=asked.trainer,
        reference=asked.against,
        environment=asked.environment,
        steps=plan.steps,
        seeds=plan.seeds,
        first_seed=plan.first_seed,
        timeout=asked.timeout,
        workers=plan.workers,
        gamma=plan.gamma,
        config=asked.config or None,
        isolate=not asked.in_process,
        settings=asked.settings,
    )
    with show_counted() as report, redirect_prints():
        result = compare_trainers(options, report)
    show(result)
    return exit_status(fail_on, result.diagnosis.worst, stopped=result.comparison.stopped)


def _check_kernels(asked: ProbeRequest, show: Show, fail_on: FailOn) -> int:
    from weaklink.cli.exit_status import exit_status
    from weaklink.verbs.kernels import KernelOptions, check_kernels

    checked = check_kernels(KernelOptions(module=asked.kernels, settings=asked.settings))
    show(checked)
    return exit_status(fail_on, checked.diagnosis.worst)
