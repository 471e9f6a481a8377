"""`weaklink preflight`: is the world real? Environment, reward and task before training."""

from __future__ import annotations

from typing import Annotated

import typer

from weaklink.cli.options import (
    ChecklistOption,
    FailOnOption,
    FormatOption,
    IgnoreOption,
    OutputFormat,
    OutputOption,
    SelectOption,
    SetOption,
    VerboseOption,
)


def preflight(
    environment: Annotated[
        str, typer.Argument(metavar="ENV", help="A Gymnasium id, or module:factory (file.py:factory).")
    ],
    arguments: Annotated[
        list[str] | None, typer.Option("--arg", metavar="NAME=VALUE", help="An argument for making the environment.")
    ] = None,
    config: Annotated[
        str, typer.Option(metavar="FILE", help="The hyper-parameters to train with (JSON or YAML).", show_default=False)
    ] = "",
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help="The algorithm to train with, such as PPO.", show_default=False)
    ] = "",
    model: Annotated[
        str, typer.Option(metavar="MODULE:FACTORY", help="Examine this model too.", show_default=False)
    ] = "",
    automaton: Annotated[
        str, typer.Option(metavar="MODULE:POLICY", help="A policy written by hand.", show_default=False)
    ] = "",
    cheat: Annotated[
        str,
        typer.Option(metavar="MODULE:POLICY", help="A policy that may look at the environment.", show_default=False),
    ] = "",
    policy: Annotated[
        str,
        typer.Option(metavar="MODULE:POLICY|ZIP", help="A trained policy to compare with them.", show_default=False),
    ] = "",
    returns: Annotated[
        str, typer.Option(metavar="FILE", help="The returns of a trained policy instead.", show_default=False)
    ] = "",
    trust_pickle: Annotated[
        bool, typer.Option("--trust-pickle", help="Load an SB3 zip, which can run any code that it holds.")
    ] = False,
    components: Annotated[
        str, typer.Option(metavar="KEYS", help="Info keys that are parts of the reward.", show_default=False)
    ] = "",
    metric: Annotated[
        str, typer.Option(metavar="KEY", help="The info key that measures the task itself.", show_default=False)
    ] = "",
    shaping: Annotated[
        str, typer.Option(metavar="KEY", help="The info key of the shaping term.", show_default=False)
    ] = "",
    total_steps: Annotated[
        int, typer.Option(metavar="N", help="The steps that training will take.", show_default=False)
    ] = 0,
    seconds: Annotated[float, typer.Option(help="How long the whole may take.")] = 60.0,
    steps: Annotated[int, typer.Option(help="Steps of random play.")] = 10_000,
    episodes: Annotated[int, typer.Option(help="Episodes of each baseline.")] = 100,
    seed: Annotated[int, typer.Option(help="The seed of every random choice.")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="Show every finding, not only the first break.")] = False,
    in_process: Annotated[bool, typer.Option("--in-process", help="Survey without a process of its own.")] = False,
    format: FormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
    fail_on: FailOnOption = None,
    select: SelectOption = None,
    ignore: IgnoreOption = None,
    thresholds: SetOption = None,
    checklists: ChecklistOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Looks at an environment before training: is the world real?

    Plays it with random, constant, scripted and searching policies, sweeps its actions, repeats its seeds, and says
    from outside in what is wrong: environment, observation, action, then reward, then task. Exits with 0 when there
    is no finding of the level --fail-on, with 1 when there is one, and with 2 on wrong use.
    """
    from weaklink.base.outside.own_code import redirect_prints
    from weaklink.cli.exit_status import exit_status
    from weaklink.cli.output import OutputStream
    from weaklink.cli.progress import show_progress
    from weaklink.cli.settings import gather_settings, parse_pairs
    from weaklink.collect.survey.plan import SurveyPlan
    from weaklink.verbs.preflight import PreflightOptions
    from weaklink.verbs.preflight import run_preflight as look

    settings, level = gather_settings(select or (), ignore or (), thresholds or (), fail_on)
    plan = SurveyPlan(
        arguments=parse_pairs("--arg", arguments or (), "render_mode=rgb_array"),
        components=tuple(key.strip() for key in components.split(",") if key.strip()),
        policy_algorithm=algorithm,
        trust_pickle=trust_pickle,
        metric=metric,
        shaping=shaping,
        seconds=seconds,
        steps=steps,
        episodes=episodes,
        seed=seed,
    )
    options = PreflightOptions(
        environment=environment,
        plan=plan,
        config=config or None,
        algorithm=algorithm,
        total_steps=total_steps,
        automaton=automaton or None,
        cheat=cheat or None,
        policy=policy or None,
        returns=returns,
        model=model or None,
        isolate=not in_process,
        settings=settings,
    )
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    with show_progress(seconds) as report, redirect_prints():
        result = look(options, report)
    out.show(result, format, verbose=verbose, checklists=checklists, everything=everything)
    raise typer.Exit(exit_status(level, result.diagnosis.worst, stopped=result.survey.stopped))
