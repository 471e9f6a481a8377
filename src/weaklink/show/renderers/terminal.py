"""A page for a person at a terminal: the answer first, then why, what to do and how to prove it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from weaklink.show.document import SHORT, TERMINAL, WHOLE, Chart, Document, Page, ShownFinding, ShownProof
from weaklink.show.layout import Span, TerminalSheet
from weaklink.show.renderers.curve import draw_curve
from weaklink.show.renderers.selection import select_leading, select_sections
from weaklink.show.renderers.short import write_short_page
from weaklink.show.renderers.terminal_blocks import write_sections

MOST_CURVES = 3
SHORTENED = frozenset({"diagnose", "preflight", "probe", "audit", "debug"})
"""The commands whose pages have a short view: what the others show is short, or is a table to be read."""


def write_document(
    document: Document, sheet: TerminalSheet, *, view: str = WHOLE, checklists: bool = False
) -> TerminalSheet:
    """Writes the only page, in short or whole, and of several what they say together.

    Args:
        document: what is shown.
        sheet: what it is written on.
        view: `short` or `whole`.
        checklists: whether the short view is followed by the checklists, which the whole one has.
    """
    if len(document.pages) == 1 and not document.together:
        page = document.pages[0]
        short = view == SHORT and page.command in SHORTENED
        return write_short_page(page, sheet, checklists=checklists) if short else write_page(page, sheet)
    sheet.text((document.title, "strong"))
    write_sections(select_sections(document.together, TERMINAL), document.axes, sheet)
    return sheet


def write_page(page: Page, sheet: TerminalSheet) -> TerminalSheet:
    """Writes the answer, the findings, what to do next, and the sections."""
    first = next((one for one in page.findings if one.role == "first"), None)
    word, headline = page.answer
    told: list[Span] = [(headline, "")]
    if first is not None and first.link:
        told = [(first.link, "strong"), ("  ", ""), (_format_title(first), "strong"), (f"  {first.since}".rstrip(), "")]
    sheet.text((word, page.verdict), ("  ", ""), *told, hang=len(word) + 2)
    sheet.text((" · ".join(value for _, value in page.facts[: page.brief] if value), "dim"))
    leading, following = select_leading(page.sections, TERMINAL)
    write_sections(leading, page.axes, sheet)
    _write_findings(first, page, sheet)
    write_sections(following, page.axes, sheet)
    return sheet


def _write_findings(first: ShownFinding | None, page: Page, sheet: TerminalSheet) -> None:
    """The first break in full, the others in short, what is worth knowing and where to look next."""
    if first is not None:
        _write_first_break(first, page, sheet)
    for other in (one for one in page.findings if one.role == "break"):
        _write_other_break(other, page, sheet)
    _write_worth_knowing([one for one in page.findings if one.role == "info"], sheet)
    if page.advice:
        sheet.heading("Where to look next")
    for line in page.advice:
        sheet.text(("- ", "dim"), (line, ""), indent=2, hang=2)


def _write_first_break(finding: ShownFinding, page: Page, sheet: TerminalSheet) -> None:
    sheet.gap()
    sheet.text((finding.message, ""), indent=2)
    sheet.text((finding.level, finding.level), (f", {finding.confidence} confidence", "dim"), indent=2)
    if finding.proofs:
        sheet.heading("Evidence", indent=2)
        _write_evidence(finding, page, sheet)
    if finding.fix:
        sheet.heading("What to do", indent=2)
    for count, item in enumerate(finding.fix, 1):
        sheet.text((f"{count}. ", "dim"), (item, ""), indent=4, hang=3)
    if finding.verify:
        sheet.heading("How to prove it", indent=2)
        sheet.text((finding.verify, ""), indent=4)
    _write_consequences(finding, page, sheet)


def _write_evidence(finding: ShownFinding, page: Page, sheet: TerminalSheet) -> None:
    charts = {block.id: block for part in page.sections for block in part.blocks if isinstance(block, Chart)}
    for drawn, (metric, proofs) in enumerate(groupby(finding.proofs, key=lambda one: one.metric)):
        together: list[ShownProof] = list(proofs)
        values = "; ".join(one.measured for one in together if one.measured)
        sheet.text((metric, "strong"), (f"  {values}", ""), indent=4, hang=2)
        chart = charts.get(together[0].chart)
        if chart is not None and drawn < MOST_CURVES:
            draw_curve(chart, finding.code, page.axes, sheet)


def _write_other_break(finding: ShownFinding, page: Page, sheet: TerminalSheet) -> None:
    sheet.gap()
    title: tuple[Span, ...] = (
        ("Also broken", finding.level),
        (f"  {finding.link}  ", ""),
        (_format_title(finding), "strong"),
    )
    sheet.text(*title, (f"  {finding.since}".rstrip(), ""), hang=2)
    sheet.text((finding.message, ""), indent=2)
    if finding.fix:
        sheet.text(("To do: ", "dim"), (finding.fix[0], ""), indent=2, hang=2)
    sheet.text((f"weaklink explain {finding.code}", "dim"), indent=2)
    _write_consequences(finding, page, sheet)


def _write_consequences(finding: ShownFinding, page: Page, sheet: TerminalSheet) -> None:
    followed = [one for one in page.findings if one.consequence_of == finding.code]
    if followed:
        sheet.heading("What followed from it", indent=2)
    for one in followed:
        place = ", ".join(part for part in (one.link, one.since) if part)
        sheet.text((_format_title(one), one.level), (f", {place}", "dim"), indent=4, hang=2)


def _write_worth_knowing(known: Sequence[ShownFinding], sheet: TerminalSheet) -> None:
    if known:
        sheet.heading("Worth knowing")
    for one in known:
        sheet.text((_format_title(one), "info"), (f"  {one.message}", ""), indent=2, hang=2)


def _format_title(finding: ShownFinding) -> str:
    return f"{finding.code} {finding.name}"
