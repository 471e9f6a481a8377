"""`weaklink explain`: the page of a rule, or of a topic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from weaklink.cli.options import OutputFormat, OutputOption, TextFormatOption


def _complete_codes(incomplete: str) -> Iterator[tuple[str, str]]:
    """Codes to complete on the shell, each with what its rule says."""
    from weaklink.judge.rules._registry import load_rules

    for rule in load_rules().values():
        if rule.code.startswith(incomplete.upper()):
            yield rule.code, rule.summary


def explain(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="CODE",
            help="A code or a name: POL301, excessive-clipping; or metrics, probes, symptoms.",
            autocompletion=_complete_codes,
        ),
    ],
    format: TextFormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
) -> None:
    """Shows the page of a rule.

    What it sees, why it is bad, what to do, how to prove it, when it is wrong; of a probe its problem and the answers.
    """
    from weaklink.cli.output import OutputStream
    from weaklink.judge.rules._registry import find_rule
    from weaklink.show import pages, topics
    from weaklink.show.renderers.json import write_line

    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    text = topics.find_topic(rule)
    if text:
        if format is OutputFormat.JSON:
            out.write(write_line("explain", {"name": rule.strip().lower(), "text": text}))
        elif format is OutputFormat.MARKDOWN:
            out.write(text)
        else:
            out.show_sheet(topics.draw_markdown(text, out.sheet()))
        return
    found = find_rule(rule)
    problem = topics.describe_problem(found.code)
    if format is OutputFormat.JSON:
        out.write(write_line("explain", {**pages.record(found), "sections": dict(found.page)}))
    elif format is OutputFormat.MARKDOWN:
        out.write("\n".join(filter(None, (pages.write_markdown(found), problem))))
    else:
        out.show_sheet(topics.draw_markdown(problem, pages.write_explanation(found, out.sheet())))
