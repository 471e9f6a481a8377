"""`weaklink explain`: the page of a rule, or of a topic."""

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
        str,
        typer.Argument(
            metavar="CODE",
            help="A code or a name: POL301, excessive-clipping; or metrics, probes, symptoms.",
            autocompletion=_codes,
        ),
    ],
    format: TextFormatOption = Format.TERMINAL,
    output: OutputOption = "",
) -> None:
    """Shows the page of a rule.

    What it sees, why it is bad, what to do, how to prove it, when it is wrong; of a probe its problem and the answers.
    """
    from weaklink.cli.output import Output
    from weaklink.judge.rules._registry import find_rule
    from weaklink.show import pages, topics
    from weaklink.show.renderers.json import write_line

    out = Output(output, document=format is not Format.TERMINAL)
    text = topics.topic(rule)
    if text:
        if format is Format.JSON:
            out.write(write_line("explain", {"name": rule.strip().lower(), "text": text}))
        elif format is Format.MARKDOWN:
            out.write(text)
        else:
            out.show_sheet(topics.draw(text, out.sheet()))
        return
    found = find_rule(rule)
    problem = topics.problem(found.code)
    if format is Format.JSON:
        out.write(write_line("explain", {**pages.record(found), "sections": dict(found.page)}))
    elif format is Format.MARKDOWN:
        out.write("\n".join(filter(None, (pages.markdown(found), problem))))
    else:
        out.show_sheet(topics.draw(problem, pages.explanation(found, out.sheet())))
