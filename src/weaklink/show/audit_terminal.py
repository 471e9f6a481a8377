"""An audit for a person at a terminal: the answer, samples side by side, then the tables."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.samples import Samples, Shown
from weaklink.base.evidence.series import Series
from weaklink.collect.samples.tables import Tables
from weaklink.collect.samples.trends import Trend
from weaklink.show import audit_wording as told
from weaklink.show import wording
from weaklink.show.columns import NARROWEST, beside, tidy
from weaklink.show.layout import Page, Span
from weaklink.show.sparkline import sparkline
from weaklink.show.terminal import findings, heading
from weaklink.show.text import number
from weaklink.verbs.audit import Audited

LINES_OF_PROMPT = 3
LINES_OF_COMPLETION = 10
WIDEST_CURVE = 50
NARROWEST_CURVE = 8
NARROWEST_NAME = 8


def report(audited: Audited, page: Page) -> Page:
    """Writes the whole of it."""
    samples, tables = audited.samples, audited.tables
    _answer(audited, page)
    findings(audited.diagnosis, told.curves(audited), page)
    _verifier(audited, page)
    if samples is not None and tables is not None:
        _side_by_side(samples, page)
        _components(tables, page)
        _leanings(tables, page)
        _trends(tables, page)
        _groups(tables, page)
        _partings(samples, page)
    _coverage(audited, page)
    return page


def _answer(audited: Audited, page: Page) -> None:
    diagnosis = audited.diagnosis
    verdict: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        page.text(verdict, ("  ", ""), (told.reason(audited), ""), hang=len(verdict[0]) + 2)
    else:
        names: list[Span] = [(first.link.value, "strong"), ("  ", ""), (wording.title(first), "strong")]
        page.text(verdict, ("  ", ""), *names, (f"  {wording.since(first, diagnosis)}".rstrip(), ""), hang=2)
    page.text((" · ".join(told.facts(audited)), "dim"))


# -- samples ---------------------------------------------------------------------------------------------------------


def _side_by_side(samples: Samples, page: Page) -> None:
    triples = told.triples(samples)
    if not triples:
        return
    heading("Samples side by side", page, indent=0)
    for triple in triples:
        cells = [_cell(kind, shown, samples.outcome) for kind, shown in zip(told.KINDS, triple, strict=True)]
        beside(page, cells, LINES_OF_COMPLETION)


def _cell(kind: str, shown: Shown | None, outcome: str | None) -> list[Span]:
    """Kind, numbers, prompt and completion, one below the other; empty where there is no such sample."""
    if shown is None:
        return [("", "")] * 4
    prompt = tidy(shown.prompt, NARROWEST * LINES_OF_PROMPT)
    completion = shown.completion if shown.completion.strip() else "(empty)"
    return [(kind, "strong"), (told.measured(shown, outcome), "dim"), (prompt, "info"), (completion, "")]


# -- tables ----------------------------------------------------------------------------------------------------------


def _components(tables: Tables, page: Page) -> None:
    if tables.components:
        heading("What is paid", page, indent=0)
        _table(told.COMPONENTS, [told.component_cells(one) for one in tables.components], page)


def _leanings(tables: Tables, page: Page) -> None:
    if tables.leanings:
        heading("What the reward follows", page, indent=0)
        _table(told.LEANINGS, [told.leaning_cells(one) for one in tables.leanings[: told.MOST_LEANINGS]], page)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], page: Page, longest: int = told.LONGEST_NAME) -> None:
    """Rows under their heads: names on the left, numbers on the right; empty columns are left out, names give way."""
    kept = [place for place in range(1, len(head)) if any(row[place] for row in rows)]
    columns = [_aligned([head[place], *(row[place] for row in rows)]) for place in kept]
    room = page.width - 2 - sum(len(column[0]) + 2 for column in columns)
    names = [
        tidy(name, max(NARROWEST_NAME, min(longest, room)), _cut(page)) for name in (head[0], *(row[0] for row in rows))
    ]
    left = max(map(len, names))
    for count, (name, *cells) in enumerate(zip(names, *columns, strict=True)):
        numbers = "".join(f"  {cell}" for cell in cells)
        page.line(("  ", ""), (name.ljust(left), "strong" if count else "dim"), (numbers, "" if count else "dim"))


def _aligned(cells: Sequence[str]) -> list[str]:
    wide = max(map(len, cells))
    return [cell.rjust(wide) for cell in cells]


def _cut(page: Page) -> str:
    return "…" if page.unicode else "..."


def _trends(tables: Tables, page: Page) -> None:
    if not tables.trends:
        page.gap()
        page.text((told.nothing_by_step(tables), "dim"))
        return
    heading("By training step", page, indent=0)
    names = [tidy(trend.name, told.LONGEST_NAME, _cut(page)) for trend in tables.trends]
    left = max(map(len, names))
    for name, trend in zip(names, tables.trends, strict=True):
        _trend(name.ljust(left), trend, page)
    if tables.peak is not None:
        page.gap()
        page.text((told.peak(tables.peak), ""), indent=2, hang=2)


def _trend(name: str, trend: Trend, page: Page) -> None:
    start, end = f"{number(trend.start):>9}", number(trend.end)
    if min(trend.values) == max(trend.values):
        page.line((f"  {name}", "strong"), (f"{start} always", "dim"))
        return
    room = min(WIDEST_CURVE, page.width - len(name) - len(start) - len(end) - 6)
    series = Series.of(trend.name, trend.steps, trend.values)
    curve = None if room < NARROWEST_CURVE else sparkline(series, room, unicode=page.unicode)
    drawn = "" if curve is None else curve.drawn
    page.line((f"  {name}", "strong"), (start, "dim"), (" ", ""), (drawn, "curve"), (" ", ""), (end, "dim"))


def _groups(tables: Tables, page: Page) -> None:
    if tables.groups is None:
        return
    heading("Groups", page, indent=0)
    for line in told.group_lines(tables.groups):
        page.text((line, ""), indent=2, hang=2)


def _partings(samples: Samples, page: Page) -> None:
    if not samples.partings:
        return
    heading("Where success and failure part", page, indent=0)
    for parting in samples.partings[: told.MOST_PARTINGS]:
        page.text((told.task(parting), "strong"), (f"  {told.parting(parting)}", ""), indent=2, hang=2)


# -- the verifier ----------------------------------------------------------------------------------------------------


def _verifier(audited: Audited, page: Page) -> None:
    check = audited.verifier
    if check is None:
        return
    heading(f"Verifier {check.name}", page, indent=0)
    page.text((told.tried(check), ""), indent=2, hang=2)
    for family, title in told.FAMILIES.items():
        odd, rest = told.notable(family, audited.tried)
        if odd:
            page.gap()
            _table((title, *told.TRIED), [told.tried_cells(one) for one in odd], page, told.LONGEST_KIND)
        if rest:
            page.text((rest, "dim"), indent=2, hang=2)
    for note in check.notes:
        page.text((note, "dim"), indent=2, hang=2)


# -- what is left to say ---------------------------------------------------------------------------------------------


def _coverage(audited: Audited, page: Page) -> None:
    diagnosis = audited.diagnosis
    page.gap()
    page.text((wording.coverage(diagnosis), "dim"))
    shown = diagnosis.wishes[: told.WISHES_SHOWN]
    if shown:
        page.text(("To let more judge, add", "dim"))
    for one in shown:
        page.text((wording.wished(one), ""), (f"  {wording.wish(one)}", "dim"), indent=2, hang=2)
    for line in (*told.remarks(audited), wording.unknown_keys(diagnosis), *wording.unable(diagnosis)):
        if line:
            page.text((line, "dim"), indent=2 if line.startswith("  ") else 0, hang=2)
