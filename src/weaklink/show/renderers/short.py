"""The short view of a page: what broke, the evidence, what to do, how to prove it and the next command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, islice

import msgspec

from weaklink.show.document import SHORT, TERMINAL, Chart, Checklist, Page, Section, ShownFinding
from weaklink.show.layout import Span, TerminalSheet
from weaklink.show.renderers.curve import draw_curve
from weaklink.show.renderers.selection import select_leading, select_sections
from weaklink.show.renderers.terminal_blocks import write_sections
from weaklink.show.text import count_noun

MOST_LINES = 30
"""What a terminal of the usual height shows without scrolling, its prompt included."""


class ShortBudget(msgspec.Struct, frozen=True):
    """How much of each part is shown; `sentences` are those of the message, of what to do and of the proof."""

    proofs: int
    curves: int
    fixes: int
    sentences: int
    others: int
    advice: int


BUDGETS = (
    ShortBudget(proofs=3, curves=1, fixes=3, sentences=9, others=3, advice=5),
    ShortBudget(proofs=3, curves=1, fixes=1, sentences=9, others=3, advice=2),
    ShortBudget(proofs=2, curves=0, fixes=1, sentences=9, others=2, advice=1),
    ShortBudget(proofs=2, curves=0, fixes=1, sentences=2, others=1, advice=0),
    ShortBudget(proofs=1, curves=0, fixes=1, sentences=1, others=1, advice=0),
)
"""From the fullest to the shortest: the first that fits into the lines is taken."""


def write_short_page(page: Page, sheet: TerminalSheet, *, checklists: bool = False) -> TerminalSheet:
    """Writes the page in at most MOST_LINES, the checklists below them where they are asked for."""
    for budget in BUDGETS:
        tried = TerminalSheet(sheet.width, unicode=sheet.unicode)
        _write_page(page, budget, tried)
        if len(tried.lines) <= MOST_LINES:
            break
    sheet.lines += tried.lines
    if checklists:
        asked = [one for one in select_sections(page.sections, TERMINAL) if _is_checklist(one)]
        write_sections(asked, page.axes, sheet)
    return sheet


def _write_page(page: Page, budget: ShortBudget, sheet: TerminalSheet) -> None:
    first = next((one for one in page.findings if one.role == "first"), None)
    word, headline = page.answer
    sheet.text((word, page.verdict), ("  ", ""), (page.says or headline, "strong"), hang=len(word) + 2)
    if first is not None:
        place = (f"{first.code} {first.name}", first.link, first.since, f"{first.confidence} confidence")
        sheet.text((" · ".join(part for part in place if part), first.level))
    sheet.text((" · ".join(value for _, value in page.facts[: page.brief] if value), "dim"))
    leading, following = select_leading(page.sections, TERMINAL, SHORT)
    write_sections(leading, page.axes, sheet)
    if first is not None:
        _write_first_break(first, page, budget, sheet)
    _write_others([one for one in page.findings if one.role == "break"], page, budget, sheet)
    _write_advice(page, budget, sheet)
    files = [one for one in following if one.id == "files"]
    write_sections([one for one in following if one not in files], page.axes, sheet)
    if first is not None:
        sheet.gap()
        sheet.line(("Next  ", "strong"), (first.command, ""))  # whole, however long: it is there to be copied
    _write_rest(page, sheet)
    for one in files:
        sheet.text((one.note, "dim"))


def _write_first_break(finding: ShownFinding, page: Page, budget: ShortBudget, sheet: TerminalSheet) -> None:
    sheet.gap()
    sheet.text((_cut_sentences(finding.message, budget.sentences), ""), indent=2)
    if finding.proofs:
        sheet.heading("Evidence", indent=2)
        _write_evidence(finding, page, budget, sheet)
    if finding.fix:
        sheet.heading("What to do", indent=2)
    for item in finding.fix[: budget.fixes]:
        sheet.text(("- ", "dim"), (_cut_sentences(item, budget.sentences), ""), indent=4, hang=2)
    if finding.verify:
        sheet.heading("How to prove it", indent=2)
        sheet.text((_cut_sentences(finding.verify, budget.sentences), ""), indent=4)
    followed = [one for one in page.findings if one.consequence_of == finding.code]
    if followed:
        named = [f"{one.code} {one.name}" for one in followed[: budget.others]]
        sheet.gap()
        sheet.text(("What followed: ", "strong"), (_join(named, len(followed)), "dim"), hang=2)


def _write_evidence(finding: ShownFinding, page: Page, budget: ShortBudget, sheet: TerminalSheet) -> None:
    charts = {block.id: block for part in page.sections for block in part.blocks if isinstance(block, Chart)}
    left = budget.curves
    for metric, proofs in islice(groupby(finding.proofs, key=lambda one: one.metric), budget.proofs):
        together = list(proofs)
        values = "; ".join(one.measured for one in together if one.measured)
        sheet.text((metric, "strong"), (f"  {values}", ""), indent=4, hang=2)
        chart = charts.get(together[0].chart)
        if chart is not None and left and draw_curve(chart, finding.code, page.axes, sheet):
            left -= 1


def _write_others(others: Sequence[ShownFinding], page: Page, budget: ShortBudget, sheet: TerminalSheet) -> None:
    """The other breaks, a line or two each."""
    if others and not any(one.consequence_of for one in page.findings):
        sheet.gap()
    for one in others[: budget.others]:
        place = ", ".join(part for part in (one.link, one.since) if part)
        title: Span = (f"{one.code} {one.name}", "strong")
        sheet.text(("Also broken: ", one.level), title, (f" ({place})", "dim"), hang=2)
    if len(others) > budget.others:
        sheet.text((f"and {count_noun(len(others) - budget.others, 'more break')}", "dim"))


def _write_advice(page: Page, budget: ShortBudget, sheet: TerminalSheet) -> None:
    shown = page.advice[: budget.advice]
    if shown:
        sheet.heading("Where to look next")
    for line in shown:
        sheet.text(("- ", "dim"), (line, ""), indent=2, hang=2)


def _write_rest(page: Page, sheet: TerminalSheet) -> None:
    """What was left out, and by which option it is shown."""
    known = sum(one.role == "info" for one in page.findings)
    judged = next((one.note for one in page.sections if one.id == "coverage"), "")
    whole = {one.id: one for one in select_sections(page.sections, TERMINAL)}
    shown = {one.id for one in select_sections(page.sections, TERMINAL, SHORT)}
    hidden = [one.title.lower() for name, one in whole.items() if name not in shown and not _is_said(one)]
    more = [*([f"{count_noun(known, 'fact')} worth knowing"] if known else []), *filter(None, hidden)]
    asked = [one for one in whole.values() if _is_checklist(one)]
    told = f" -v shows {_join(more, len(more))}." if more else ""
    told += f" --checklist: {_count_answered(asked)}." if asked else ""
    sheet.gap()
    if "coverage" not in shown or told:
        sheet.text((f"{'' if 'coverage' in shown else judged}{told}".strip(), "dim"))


def _count_answered(sections: Iterable[Section]) -> str:
    items = [item for one in sections for block in one.blocks if isinstance(block, Checklist) for item in block.items]
    done = sum(item.state == "done" for item in items)
    return f"{done} of {count_noun(len(items), 'question')} done"


def _is_said(section: Section) -> bool:
    """Whether the short view says what a section is for in another place."""
    return section.id == "next" or _is_checklist(section)


def _is_checklist(section: Section) -> bool:
    return any(isinstance(block, Checklist) for block in section.blocks)


def _cut_sentences(text: str, most: int) -> str:
    """The first sentences of a text."""
    parts = text.split(". ")
    return text if len(parts) <= most else ". ".join(parts[:most]) + "."


def _join(words: Sequence[str], whole: int) -> str:
    """Words in a row, with how many more there are."""
    left = whole - len(words)
    return ", ".join(words) + (f" and {left} more" if left else "")
