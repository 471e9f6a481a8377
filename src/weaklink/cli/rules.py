"""`weaklink rules`: the list of all rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weaklink.base.loop import Link
from weaklink.cli.options import OutputFormat, OutputOption, TextFormatOption

if TYPE_CHECKING:
    from weaklink.judge.rules._registry import Rule


def rules(
    word: Annotated[str, typer.Argument(help="Only rules that have this word in them.", show_default=False)] = "",
    link: Annotated[Link | None, typer.Option(help="Only rules of this link.", show_default=False)] = None,
    format: TextFormatOption = OutputFormat.TERMINAL,
    output: OutputOption = "",
) -> None:
    """Lists the rules: code, name, link, level and what each says."""
    from weaklink.base.errors import UsageError
    from weaklink.cli.output import OutputStream
    from weaklink.judge.rules._registry import load_rules
    from weaklink.show import pages
    from weaklink.show.renderers.json import write_line

    family = [rule for rule in load_rules().values() if word and rule.code.startswith(word.upper())]
    chosen = [rule for rule in family or load_rules().values() if _matches(rule, word, link)]
    if not chosen:
        raise UsageError(
            f"No rule fits '{word}'{f' and {link.value}' if link else ''}. `weaklink rules` lists them all."
        )
    out = OutputStream(output, document=format is not OutputFormat.TERMINAL)
    if format is OutputFormat.JSON:
        out.write(write_line("rules", {"rules": [pages.record(rule) for rule in chosen]}))
    elif format is OutputFormat.MARKDOWN:
        out.write(pages.write_index(chosen))
    else:
        out.show_sheet(pages.write_table(chosen, out.sheet(one_line_each=True)))


def _matches(rule: Rule, word: str, link: Link | None) -> bool:
    told = " ".join((rule.code, rule.name, rule.summary, *rule.thresholds, str(rule.needs))).lower()
    return (link is None or rule.link is link) and word.lower() in told
