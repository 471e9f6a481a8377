"""What `weaklink probe` was asked for, checked, carried out and shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weaklink.base.errors import UsageError
from weaklink.base.finding import Level
from weaklink.base.outside.own_code import printing_aside
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output
from weaklink.cli.progress import counted
from weaklink.cli.reporting import FINDINGS
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.readers import read_config
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.settings import Settings
from weaklink.verbs.probe import Probed

if TYPE_CHECKING:
    import typer

ABOUT_THE_RUN = frozenset(
    ("algorithm", "algo", "env", "env_id", "environment", "total_timesteps", "total_steps", "seed", "policy")
)

CLIMBING = frozenset(("--only", "--all", "--actions"))
TRAINING = frozenset(("--seeds", "--seed", "--steps", "--gamma", "--timeout", "--workers"))
BELONGING = {
    "TRAINER": CLIMBING | TRAINING | {"--config", "--as-configured", "--in-process"},
    "--cmd": CLIMBING | TRAINING | {"--recurrent"},
    "TRAINER --against": TRAINING | {"--against", "--env", "--config", "--in-process"},
    "--kernels": frozenset(),
}
"""The options of each way to probe; all others are for every way."""


@dataclass(frozen=True)
class Asked:
    """What to probe: one of a trainer, a command and a module of kernels, and how."""

    trainer: str = ""
    command: str = ""
    kernels: str = ""
    against: str = ""
    environment: str = ""
    config: str = ""
    as_configured: bool = False
    recurrent: bool = False
    in_process: bool = False
    given: frozenset[str] = frozenset()
    """The options that were given, whatever their value."""

    @property
    def way(self) -> str:
        """Which way to probe this is."""
        if self.kernels:
            return "--kernels"
        if self.command:
            return "--cmd"
        return "TRAINER --against" if self.against or self.environment else "TRAINER"


def on_command_line(context: typer.Context) -> frozenset[str]:
    """The options that stand on the command line."""
    sources = ((parameter, context.get_parameter_source(parameter.name or "")) for parameter in context.command.params)
    return frozenset(
        option for parameter, source in sources if source and source.name == "COMMANDLINE" for option in parameter.opts
    )


def carried_out(asked: Asked, plan: ProbePlan, settings: Settings, format: Format, out: Output, fail_on: FailOn) -> int:
    """Probes and shows; the exit code."""
    _check(asked)
    if asked.kernels:
        from weaklink.cli.kernels import shown as kernels_shown

        return exit_code(kernels_shown(asked.kernels, settings, format, out), fail_on)
    if asked.against:
        from weaklink.cli import against

        result = against.contested(asked, plan, settings)
        against.shown(result, format, out)
        return INTERRUPTED if result.comparison.stopped else exit_code(result.diagnosis, fail_on)
    probed = _probed(asked, plan, settings)
    _show(probed, format, out)
    return INTERRUPTED if probed.outcome.stopped else exit_code(probed.diagnosis, fail_on)


def _check(asked: Asked) -> None:
    given = [name for name in ("trainer", "command", "kernels") if getattr(asked, name).strip()]
    if len(given) != 1:
        raise UsageError(
            "Give one of: a trainer such as sb3:PPO or module:train, --cmd COMMAND, --kernels MODULE; "
            f"there {'is' if len(given) < 2 else 'are'} {len(given) or 'none'}."
        )
    if asked.config and not (asked.as_configured or asked.against):
        raise UsageError(f"--config {asked.config} is used with --as-configured: add it, or leave the file out.")
    if asked.as_configured and not asked.config:
        raise UsageError("--as-configured needs --config FILE with your hyper-parameters.")
    if asked.as_configured and not asked.trainer:
        raise UsageError("--as-configured is for trainers given by name, such as sb3:PPO.")
    _refuse_foreign(asked)
    if bool(asked.against) != bool(asked.environment):
        raise UsageError("--against TRAINER and --env ENV go together: a reference needs an environment to train on.")


def _refuse_foreign(asked: Asked) -> None:
    """Raises where an option would be left unread."""
    for option in sorted(asked.given - BELONGING[asked.way]):
        ways = [way for way, options in BELONGING.items() if option in options]
        if ways:
            raise UsageError(f"{option} goes with {' or '.join(ways)}, not with {asked.way}: leave it out.")


def _probed(asked: Asked, plan: ProbePlan, settings: Settings) -> Probed:
    from weaklink.verbs.probe import probe, probe_command

    with counted() as report, printing_aside():
        if asked.command:
            return probe_command(asked.command, plan, recurrent=asked.recurrent, settings=settings, report=report)
        return probe(
            asked.trainer,
            plan,
            hyper_parameters=hyper_parameters(asked.config) if asked.as_configured else None,
            isolate=not asked.in_process,
            settings=settings,
            report=report,
        )


def hyper_parameters(file: str) -> dict[str, Any]:
    """Those of a file, under the names that the file gives them, without what is about the run and not the trainer."""
    return {name: value for name, value in read_config(file).raw.items() if name not in ABOUT_THE_RUN}


def _show(probed: Probed, format: Format, out: Output) -> None:
    if format is Format.JSON:
        from weaklink.show import probe_data

        out.write(probe_data.line(probed.diagnosis, probed.outcome))
    elif format is Format.MARKDOWN:
        from weaklink.show import probe_markdown

        out.write(probe_markdown.report(probed.diagnosis, probed.outcome))
    elif format is Format.HTML:
        from weaklink.show.page.ladder import ladder_page

        out.show_page(ladder_page(probed.outcome, probed.diagnosis))
    else:
        from weaklink.show import probe_terminal

        out.show(probe_terminal.report(probed.diagnosis, probed.outcome, out.page()))


def exit_code(diagnosis: Diagnosis, fail_on: FailOn) -> int:
    """1 where a finding reaches the level."""
    worst = diagnosis.worst
    if fail_on is FailOn.NEVER or worst is None:
        return 0
    return FINDINGS if worst >= Level[fail_on.name] else 0
