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
from weaklink.verbs.debug.options import DebugOptions
from weaklink.verbs.debug.target import Target, target_of

EXAMPLE = "weaklink.verbs.debug.example"


@dataclass(frozen=True)
class Asked:
    """A target, how it is debugged, where that is kept, and how it is shown."""

    target: Target
    options: DebugOptions
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
    files = kept(case)
    shown(case, asked.format, out, files)
    return exit_code(case, asked.fail_on)


def minimised(asked: Asked, out: Output) -> int:
    """The emergency procedure instead; the exit code."""
    from weaklink.cli.minimising import carried_out as carried_out_minimal

    return carried_out_minimal(asked, out)


def show_case(path: Path, format: Format, output: str) -> None:
    """Shows the case of a folder again, judged from its evidence."""
    case = read_case(path)
    out = Output(output, document=format is not Format.TERMINAL)
    if case.minimal is not None and not case.stages:
        from weaklink.cli.minimising import shown as minimal_shown

        minimal_shown(case.minimal, format, out)
    else:
        shown(case, format, out)


def kept(case: Case) -> tuple[str, ...]:
    """Writes the page and the text of a case into its folder; what to say of them."""
    from weaklink.show import case_markdown

    (case.folder / TEXT).write_text(case_markdown.report(case), encoding="utf-8", errors="replace")
    try:
        from weaklink.show.page.case import case_page
        from weaklink.show.page.document import document
        from weaklink.show.page.file import html

        (case.folder / PAGE).write_text(html(document([case_page(case)])), encoding="utf-8", errors="replace")
    except WeaklinkError as error:
        return (f"No page was made: {error}",)
    return (f"The page: {os.path.relpath(case.folder / PAGE)}",)


def shown(case: Case, format: Format, out: Output, files: tuple[str, ...] = ()) -> None:
    """Shows a case."""
    if format is Format.JSON:
        from weaklink.show.case_data import line

        out.write(line(case))
    elif format is Format.MARKDOWN:
        from weaklink.show import case_markdown

        out.write(case_markdown.report(case))
    elif format is Format.HTML:
        from weaklink.show.page.case import case_page

        out.show_page(case_page(case))
    else:
        from weaklink.show.case_terminal import report

        out.show(report(case, out.page(), files))


def exit_code(case: Case, fail_on: FailOn) -> int:
    """After Ctrl-C that of an interruption, else whether there are findings of the level."""
    if case.stopped:
        return INTERRUPTED
    worst = case.diagnosis.worst
    if fail_on is FailOn.NEVER or worst is None:
        return 0
    return FINDINGS if worst >= Level[fail_on.name] else 0
