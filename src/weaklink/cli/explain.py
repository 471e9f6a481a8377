"""`weaklink explain`: the page of a rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from weaklink.cli.options import Format, OutputOption, TextFormatOption


def _codes(incomplete: str) -> Iterator[tuple[str, str]]:
    """Codes to complete on the shell, each with what its rule says."""
    from weaklink.judge.rules._registry import all_rules

    for rule in all_rules().values():
        if rule.code.startswith(incomplete.upper()):
            yield rule.code, rule.summary


def explain(
    rule: Annotated[
        str, typer.Argument(metavar="CODE", help="A code or a name: POL301, excessive-clipping.", autocompletion=_codes)
    ],
    format: TextFormatOption = Format.TERMINAL,
    output: OutputOption = "",
) -> None:
    """Shows the page of a rule.

    What it sees, why it is bad, what to do, how to prove it, when it is wrong.
    """
    from weaklink.cli.output import Output
    from weaklink.judge.rules._registry import find_rule
    from weaklink.show import pages
    from weaklink.show.renderers.json import write_line

    found = find_rule(rule)
    out = Output(output, document=format is not Format.TERMINAL)
    if format is Format.JSON:
        out.write(write_line("explain", {**pages.record(found), "sections": dict(found.page)}))
    elif format is Format.MARKDOWN:
        out.write(pages.markdown(found))
    else:
        out.show_sheet(pages.explanation(found, out.sheet()))
