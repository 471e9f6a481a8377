"""What `weaklink debug` was asked for, how it is carried out, and how a case is shown."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import util
from pathlib import Path

import msgspec

from weaklink.base.errors import UsageError, WeaklinkError
from weaklink.base.finding import Level
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output
from weaklink.cli.reporting import FINDINGS
from weaklink.cli.staging import listening
from weaklink.verbs.debug.case import Case
from weaklink.verbs.debug.debugging import HOME, debug, read_case
from weaklink.verbs.debug.folder import PAGE, TEXT
from weaklink.verbs.debug.options import Options
from weaklink.verbs.debug.target import Target, target_of

EXAMPLE = "weaklink.verbs.debug.example"


@dataclass(frozen=True)
class Asked:
    """A target, how it is debugged, where that is kept, and how it is shown."""

    target: Target
    options: Options
    folder: str
    format: Format
    fail_on: FailOn

    @property
    def place(self) -> Path:
        """The folder of the case."""
        return Path(self.folder) if self.folder else Path(HOME) / self.target.name


def chosen(word: str, algorithm: str, environment: str, settings: Iterable[str]) -> Target:
    """The target of the arguments; the bundled example where there are none."""
    if word or algorithm or environment:
        return target_of(word, algorithm=algorithm, environment=environment, settings=settings)
    if util.find_spec("stable_baselines3") is None or util.find_spec("gymnasium") is None:
        raise UsageError(
            "The example needs Stable-Baselines3: pip install 'weaklink[sb3]'. Or name a target of your own."
        )
    return msgspec.structs.replace(target_of(EXAMPLE, settings=settings), name="example")


def carried_out(asked: Asked, out: Output) -> int:
    """Debugs, keeps the page and the text in the folder of the case, and shows it; the exit code."""
    with listening() as listener:
        case = debug(asked.target, asked.options, folder=asked.place, listener=listener)
    out.show(case, asked.format, files=kept(case))
    return exit_code(case, asked.fail_on)


def minimised(asked: Asked, out: Output) -> int:
    """The emergency procedure instead; the exit code."""
    from weaklink.cli.minimising import carried_out as carried_out_minimal

    return carried_out_minimal(asked, out)


def show_case(path: Path, format: Format, output: str) -> None:
    """Shows the case of a folder again, judged from its evidence."""
    case = read_case(path)
    out = Output(output, document=format is not Format.TERMINAL)
    out.show(case.minimal if case.minimal is not None and not case.stages else case, format)


def kept(case: Case) -> tuple[str, ...]:
    """Writes the page and the text of a case into its folder; what to say of them."""
    from weaklink.show.rendering import render

    (case.folder / TEXT).write_text(render(case, "markdown"), encoding="utf-8", errors="replace")
    try:
        (case.folder / PAGE).write_text(render(case, "html"), encoding="utf-8", errors="replace")
    except WeaklinkError as error:
        return (f"No page was made: {error}",)
    return (f"The page: {os.path.relpath(case.folder / PAGE)}",)


def exit_code(case: Case, fail_on: FailOn) -> int:
    """After Ctrl-C that of an interruption, else whether there are findings of the level."""
    if case.stopped:
        return INTERRUPTED
    worst = case.diagnosis.worst
    if fail_on is FailOn.NEVER or worst is None:
        return 0
    return FINDINGS if worst >= Level[fail_on.name] else 0
