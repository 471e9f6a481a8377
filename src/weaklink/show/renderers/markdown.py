"""A page as Markdown, fit for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from weaklink.base.backports import assert_never
from weaklink.show.columns import tidy
from weaklink.show.document import (
    MARKDOWN,
    Block,
    Box,
    Boxes,
    Chart,
    ChartAxis,
    ChartLine,
    Checklist,
    Document,
    Histogram,
    Page,
    Prose,
    QuotedText,
    Section,
    ShownFinding,
    ShownItem,
    Strip,
    Strips,
    Table,
    TextColumns,
)
from weaklink.show.renderers.selection import select_leading, select_sections
from weaklink.show.sparkline import draw_sparkline
from weaklink.show.text import clean, escape_prose, format_code, format_number
from weaklink.show.thinning import read_line, read_values
from weaklink.show.triage import Triage

CURVE = 40
LONGEST_NAME = 120
LONGEST_TITLE = 120
LONGEST_TEXT = 400
BOXES = {"done": "x", "failed": " ", "open": " "}


def write_document(document: Document) -> str:
    """The only page in full; of several what they say together, then each that broke."""
    if len(document.pages) == 1 and not document.together:
        return write_page(document.pages[0])
    lines = [f"## weaklink: {escape_prose(document.title)}"]
    lines += _write_sections(select_sections(document.together, MARKDOWN), document.axes)
    for page in document.pages:
        if any(finding.role == "first" for finding in page.findings):
            lines += ["", write_page(page, depth=3).rstrip()]
    return "\n".join(lines) + "\n"


def write_page(page: Page, *, depth: int = 2) -> str:
    """A page under a heading of the given depth."""
    word, headline = page.answer
    lines = [f"{'#' * depth} {word}: {escape_prose(headline)}", ""]
    target, *facts = [value for _, value in page.facts[: page.brief] if value] or [page.title]
    lines.append(", ".join([format_code(target), *map(escape_prose, facts)]))
    leading, following = select_leading(page.sections, MARKDOWN)
    lines += _write_sections(leading, page.axes)
    charts = {block.id: block for part in page.sections for block in part.blocks if isinstance(block, Chart)}
    for finding in page.findings:
        if finding.role in ("first", "break"):
            lines += _break(finding, page, charts, depth + 1)
    known = (f"**{_format_title(one)}** {escape_prose(one.message)}" for one in page.findings if one.role == "info")
    lines += _write_list("Worth knowing", known)
    lines += _write_list("Where to look next", map(escape_prose, page.advice))
    lines += _write_sections(following, page.axes)
    return "\n".join(lines) + "\n"


def _break(finding: ShownFinding, page: Page, charts: Mapping[str, Chart], depth: int) -> Iterator[str]:
    sure = f"{finding.level}, {finding.confidence} confidence"
    yield from ("", f"{'#' * depth} {_format_title(finding)} ({sure})", "", escape_prose(finding.message))
    if finding.proofs:
        lines = {one.chart: charts[one.chart].lines[0] for one in finding.proofs if one.chart in charts}
        drawn = {chart: _draw_curve(line, page.axes) for chart, line in lines.items()}
        rows = [
            (format_code(one.metric), escape_prose(one.measured), drawn.get(one.chart, "")) for one in finding.proofs
        ]
        yield from ("", *write_rows(("metric", "measured", "curve"), rows))
    yield from _write_list("What to do", map(escape_prose, finding.fix), numbered=True)
    if finding.verify:
        command = finding.verify.startswith("weaklink ")
        yield from (
            "",
            "**How to prove it**",
            "",
            format_code(finding.verify) if command else escape_prose(finding.verify),
        )
    followed = (one for one in page.findings if one.consequence_of == finding.code)
    yield from _write_list(
        "What followed from it",
        (", ".join(part for part in (_format_title(one), one.link, one.since) if part) for one in followed),
    )


def _format_title(finding: ShownFinding) -> str:
    return escape_prose(f"{finding.code} {finding.name}")


def _draw_curve(line: ChartLine, axes: Mapping[str, ChartAxis]) -> str:
    curve = draw_sparkline(read_line(line, axes), CURVE)
    return "" if curve is None else f"{format_number(curve.low)} {curve.drawn} {format_number(curve.high)}"


def _write_sections(sections: Sequence[Section], axes: Mapping[str, ChartAxis]) -> Iterator[str]:
    """Blocks under their titles, the first under that of its section where it has none; charts are one table."""
    for section in sections:
        charts = [block for block in section.blocks if isinstance(block, Chart)]
        if not section.folded and section.blocks and (charts or not section.blocks[0].title):
            yield from ("", f"**{escape_prose(section.title)}**")
        if section.note:
            yield from ("", escape_prose(section.note))
        if charts:
            yield from ("", *_write_charts(charts, axes))
        for block in section.blocks:
            if not isinstance(block, Chart):
                yield from _write_titled(block)


def _write_titled(block: Block) -> Iterator[str]:
    if block.title:
        yield from ("", f"**{escape_prose(block.title)}**")
    if block.note:
        yield from ("", escape_prose(block.note))
    yield from ("", *_write_block(block))


def _write_block(block: Block) -> Iterator[str]:
    match block:
        case Table():
            yield from _write_table(block)
        case Prose():
            yield from _write_prose(block)
        case Checklist():
            yield from map(_format_item, block.items)
        case TextColumns():
            yield from _write_text_columns(block)
        case Boxes():
            yield from write_rows(("", "mean", "interval", ""), map(_format_box, block.rows), right=(1,))
        case Histogram():
            counted = (
                (f"{format_number(one.low)} to {format_number(one.high)}", f"{one.count:,}") for one in block.bins
            )
            yield from write_rows(("values", "count"), counted, right=(1,))
        case Strips():
            yield from write_rows(("", "curve", ""), map(_strip, block.rows))
        case Chart() | Triage():
            raise AssertionError("charts are written together, and lists to be filtered are for a browser")
        case _:
            assert_never(block)


def _format_box(box: Box) -> tuple[str, ...]:
    return (
        format_code(box.label),
        format_number(box.mean),
        f"{format_number(box.mean_low)} to {format_number(box.mean_high)}",
        escape_prose(box.note),
    )


def _strip(strip: Strip) -> tuple[str, ...]:
    curve = draw_sparkline(read_values(strip.label, strip.values, strip.lows, strip.highs), CURVE)
    return format_code(strip.label), curve.drawn if curve else "", escape_prose(strip.note)


def _write_charts(charts: Iterable[Chart], axes: Mapping[str, ChartAxis]) -> Iterator[str]:
    rows = (
        (format_code(tidy(line.name, LONGEST_NAME)), _draw_curve(line, axes), escape_prose(chart.note))
        for chart in charts
        for line in chart.lines
    )
    yield from write_rows(("", "curve", ""), rows)


def _write_table(table: Table) -> Iterator[str]:
    kept = [place for place in range(len(table.columns)) if any(row.cells[place] for row in table.rows)]
    named = set(table.names)
    shown = table.rows[: (table.listed and table.short) or None]
    rows = (
        [format_code(row.cells[place]) if place in named else escape_prose(row.cells[place]) for place in kept]
        for row in shown
    )
    right = [at for at, place in enumerate(kept) if place in table.numeric]
    yield from write_rows([escape_prose(table.columns[place]) for place in kept], rows, right=right)


def write_rows(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> Iterator[str]:
    """A table of cells that are Markdown already."""
    numeric = set(right)
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---:' if place in numeric else '---' for place in range(len(head)))} |"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _write_prose(block: Prose) -> Iterator[str]:
    if len(block.paragraphs) > 1:
        yield from (f"- {escape_prose(paragraph)}" for paragraph in block.paragraphs)
    else:
        yield from map(escape_prose, block.paragraphs)
    lines = [clean(line) for line in block.code.splitlines()]
    if len(lines) == 1:
        yield format_code(lines[0])
    elif lines:
        yield from ("```text", *(line.replace("`", "'") for line in lines), "```")


def _format_item(item: ShownItem) -> str:
    told = f": {escape_prose(item.told)}" if item.told else ""
    return f"- [{BOXES[item.state]}] {escape_prose(item.name)}{told}" + (
        f" {format_code(item.command)}" if item.command else ""
    )


def _write_text_columns(sides: TextColumns) -> Iterator[str]:
    """The first text of every side in a row, then the second ones."""
    most = max(len(side.texts) for side in sides.sides)
    rows = (
        [_format_text(side.texts[place]) if place < len(side.texts) else "" for side in sides.sides]
        for place in range(min(most, sides.short or most))
    )
    yield from write_rows([escape_prose(side.title) for side in sides.sides], rows)


def _format_text(text: QuotedText) -> str:
    """One text in a cell: it stands in code, so that nothing in it is read as a link, a name or a tag."""
    facts = escape_prose(", ".join(f"{name} {value}" for name, value in text.facts))
    title, body = tidy(text.title, LONGEST_TITLE), tidy(text.body, LONGEST_TEXT)
    return "<br>".join([facts, *(format_code(part) for part in (title, body) if part), *(() if body else ("(empty)",))])


def _write_list(heading: str, items: Iterable[str], *, numbered: bool = False) -> Iterator[str]:
    """A list under its heading; nothing where there is no item."""
    listed = [f"{count}. {item}" if numbered else f"- {item}" for count, item in enumerate(items, 1)]
    if listed:
        yield from ("", f"**{heading}**", "", *listed)
