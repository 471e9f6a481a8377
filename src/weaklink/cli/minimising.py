"""How `weaklink debug --minimal` is carried out, kept and shown."""

from __future__ import annotations

import os
from pathlib import Path

from weaklink.case.folder import CaseFolder
from weaklink.case.minimal.evidence import Minimal
from weaklink.case.minimal.plan import Plan
from weaklink.case.minimal.procedure import emergency
from weaklink.cli.debugging import Asked
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output
from weaklink.cli.progress import progress
from weaklink.cli.reporting import FINDINGS
from weaklink.errors import WeaklinkError

PAGE = "minimal.html"


def carried_out(asked: Asked, out: Output) -> int:
    """The emergency procedure on a target: kept in the folder of its case, and shown; the exit code."""
    folder = CaseFolder.opened(asked.place, asked.target, fresh=False)
    options = asked.options
    chosen = {"steps": options.steps} if options.steps else {}
    plan = Plan(seconds=options.seconds, seed=options.seed, **chosen)
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
    from weaklink.views.page.document import document
    from weaklink.views.page.file import html
    from weaklink.views.page.minimal import minimal_page

    try:
        (place / PAGE).write_text(html(document([minimal_page(result)])), encoding="utf-8", errors="replace")
    except WeaklinkError as error:
        return f"No page was made: {error}"
    return f"The page: {os.path.relpath(place / PAGE)}"


def shown(result: Minimal, format: Format, out: Output, file: str = "") -> None:
    """Shows the procedure; `file` says what a person may open next."""
    if format is Format.JSON:
        from weaklink.views.minimal_data import line

        out.write(line(result))
    elif format is Format.MARKDOWN:
        from weaklink.views import minimal_markdown

        out.write(minimal_markdown.report(result))
    elif format is Format.HTML:
        from weaklink.views.page.minimal import minimal_page

        out.show_page(minimal_page(result))
    else:
        from weaklink.views import minimal_terminal

        out.show(minimal_terminal.report(result, out.page(), file))
