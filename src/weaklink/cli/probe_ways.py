"""The ways to probe that the options of `weaklink probe` can ask for, and which options belong to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weaklink.base.errors import UsageError
from weaklink.collect.probes.plan import ProbePlan
from weaklink.judge.diagnosis.settings import RuleSettings

if TYPE_CHECKING:
    import typer

SCRIPT = "SCRIPT.py"
CLIMBING = frozenset(("--only", "--all", "--actions", "--seconds"))
TRAINING = frozenset(("--seeds", "--seed", "--steps", "--gamma", "--timeout", "--workers", "--ray"))
BELONGING = {
    "TRAINER": CLIMBING | TRAINING | {"--config", "--as-configured", "--in-process"},
    SCRIPT: CLIMBING | TRAINING | {"--recurrent"},
    "--cmd": CLIMBING | TRAINING | {"--recurrent"},
    "TRAINER --against": TRAINING | {"--against", "--env", "--config", "--in-process"},
    "--kernels": frozenset(),
}
"""The options of each way to probe; all others are for every way."""


@dataclass(frozen=True, kw_only=True)
class ProbeRequest:
    """What to probe: one of a trainer, a command and a module of kernels, and how; `given` are the options used."""

    plan: ProbePlan
    settings: RuleSettings
    given: frozenset[str]
    trainer: str = ""
    arguments: tuple[str, ...] = ()
    command: str = ""
    kernels: str = ""
    against: str = ""
    environment: str = ""
    config: str = ""
    as_configured: bool = False
    recurrent: bool = False
    in_process: bool = False
    timeout: float | None = None

    @property
    def is_script(self) -> bool:
        """Whether the trainer is a file that trains by itself."""
        return is_script(self.trainer) and not self.against

    @property
    def way(self) -> str:
        """Which way to probe this is."""
        if self.kernels:
            return "--kernels"
        if self.is_script:
            return SCRIPT
        if self.command:
            return "--cmd"
        return "TRAINER --against" if self.against or self.environment else "TRAINER"


def is_script(word: str) -> bool:
    """Whether a word names a script, and not a function in it."""
    return word.endswith(".py")


def check_arguments(context: typer.Context, trainer: str, arguments: Sequence[str]) -> None:
    """Refuses words that only a script could take."""
    wrong = trainer if trainer.startswith("-") else next(iter(() if is_script(trainer) else arguments), "")
    if wrong:
        what = "option" if wrong.startswith("-") else "argument"
        context.fail(f"No such {what}: {wrong}. Words of its own only a script takes: train.py {wrong}.")


def list_given_options(context: typer.Context) -> frozenset[str]:
    """The options that stand on the command line."""
    sources = ((parameter, context.get_parameter_source(parameter.name or "")) for parameter in context.command.params)
    return frozenset(
        option for parameter, source in sources if source and source.name == "COMMANDLINE" for option in parameter.opts
    )


def check_way(asked: ProbeRequest) -> None:
    """Refuses options that do not fit together, or that would be left unread."""
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
    for option in sorted(asked.given - BELONGING[asked.way]):
        ways = [way for way, options in BELONGING.items() if option in options]
        if ways:
            own = f", or put it after -- where it is the script's own: {asked.trainer} -- {option} ..."
            cure = f"leave it out{own if asked.way == SCRIPT else ''}"
            raise UsageError(f"{option} goes with {' or '.join(ways)}, not with {asked.way}: {cure}.")
    if bool(asked.against) != bool(asked.environment):
        raise UsageError("--against TRAINER and --env ENV go together: a reference needs an environment to train on.")
