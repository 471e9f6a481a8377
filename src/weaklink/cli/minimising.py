"""How `weaklink debug --minimal` is carried out, kept and shown."""

from __future__ import annotations

import os
from pathlib import Path

from weaklink.base.errors import WeaklinkError
from weaklink.cli.debugging import Asked
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output
from weaklink.cli.progress import progress
from weaklink.cli.reporting import FINDINGS
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.minimal.evidence import Minimal
from weaklink.verbs.debug.minimal.plan import MinimalPlan
from weaklink.verbs.debug.minimal.procedure import emergency

PAGE = "minimal.html"


def carried_out(asked: Asked, out: Output) -> int:
    """The emergency procedure on a target: kept in the folder of its case, and shown; the exit code."""
    folder = CaseFolder.opened(asked.place, asked.target, fresh=False)
    options = asked.options
    chosen = {"steps": options.steps} if options.steps else {}
    plan = MinimalPlan(seconds=options.seconds, seed=options.seed, **chosen)
    with progress(options.seconds) as report:
        result = emergency(asked.target, plan, report)
    folder.keep_minimal(result)
    folder.save()
    shown(result, asked.format, out, kept(result, asked.place))
    if result.stopped:
        return INTERRUPTED
    return FINDINGS if result.works is False and asked.fail_on is not FailOn.NEVER else 0


def kept(result: Minimal, place: Path) -> str:
    """Writes the page of the procedure into the folder of its case; what to say of it."""
    from weaklink.show.page.document import document
    from weaklink.show.page.file import html
    from weaklink.show.page.minimal import minimal_page

    try:
        (place / PAGE).write_text(html(document([minimal_page(result)])), encoding="utf-8", errors="replace")
    except WeaklinkError as error:
        return f"No page was made: {error}"
    return f"The page: {os.path.relpath(place / PAGE)}"


def shown(result: Minimal, format: Format, out: Output, file: str = "") -> None:
    """Shows the procedure; `file` says what a person may open next."""
    if format is Format.JSON:
        from weaklink.show.minimal_data import line

        out.write(line(result))
    elif format is Format.MARKDOWN:
        from weaklink.show import minimal_markdown

        out.write(minimal_markdown.report(result))
    elif format is Format.HTML:
        from weaklink.show.page.minimal import minimal_page

        out.show_page(minimal_page(result))
    else:
        from weaklink.show import minimal_terminal

        out.show(minimal_terminal.report(result, out.page(), file))
