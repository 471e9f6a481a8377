"""A document in a notebook: one piece of HTML without a script, a style sheet or anything that is loaded.

All that came from data is escaped. The colours are those of the notebook, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from weaklink.show.document import (
    HTML,
    Block,
    Boxes,
    Chart,
    ChartAxis,
    Checklist,
    Document,
    Histogram,
    Page,
    Prose,
    Section,
    ShownFinding,
    Strips,
    Table,
    TextColumns,
)
from weaklink.show.renderers.selection import select_sections
from weaklink.show.sparkline import draw_sparkline
from weaklink.show.text import clean, format_number
from weaklink.show.thinning import read_line
from weaklink.show.triage import Triage

STATES = {"broken": "#c62828", "unclear": "#b26a00", "healthy": "#2e7d32"}
"""The colour of a verdict, readable on white and on black."""

BOXES = {"done": "☑", "failed": "☒", "open": "☐"}
MOST_ROWS = 60
CURVE_WIDTH = 60


def write_document(document: Document) -> str:
    """The pages of a document, one below the other, and what they show together."""
    parts = [_write_page(page) for page in document.pages]
    together = "".join(_write_sections(select_sections(document.together, HTML)))
    return f'<div style="max-width:60em;line-height:1.4">{together}{"".join(parts)}</div>'


def _write_page(page: Page) -> str:
    word, headline = page.answer
    colour = STATES.get(page.verdict, "inherit")
    facts = " · ".join(value for _, value in page.facts if value)
    known = [one for one in page.findings if one.role == "info"]
    written = [
        f'<p style="font-size:1.1em;margin:.3em 0"><b style="color:{colour}">{_escape(word)}</b>&ensp;'
        f"<b>{_escape(page.says or headline)}</b></p>",
        f'<p style="opacity:.7;margin:.2em 0">{_escape(facts)}</p>' if facts else "",
        *(_write_finding(one, page) for one in page.findings if one.role in ("first", "break")),
        _write_list("What followed", (f"{one.code} {one.name}" for one in page.findings if one.consequence_of)),
        _write_list("Worth knowing", (f"{one.code} {one.name}: {one.message}" for one in known)),
        _write_list("Where to look next", page.advice),
        *_write_sections(select_sections(page.sections, HTML)),
    ]
    return "".join(written)


def _write_finding(finding: ShownFinding, page: Page) -> str:
    place = " · ".join(part for part in (finding.link, finding.since, f"{finding.confidence} confidence") if part)
    proofs = (f"{one.metric}: {one.measured}" for one in finding.proofs)
    return "".join(
        (
            f"<p style='margin:.6em 0 .2em'><b>{_escape(finding.code)} {_escape(finding.name)}</b> "
            f"<span style='opacity:.7'>{_escape(place)}</span><br>{_escape(finding.message)}</p>",
            _write_list("Evidence", proofs),
            "".join(_draw_curves(finding, page)),
            _write_list("What to do", finding.fix),
            _write_list("How to prove it", [finding.verify] if finding.verify else []),
            f"<p style='margin:.2em 0'>Next: <code>{_escape(finding.command)}</code></p>" if finding.command else "",
        )
    )


def _draw_curves(finding: ShownFinding, page: Page) -> Iterator[str]:
    charts = {block.id: block for part in page.sections for block in part.blocks if isinstance(block, Chart)}
    for name in dict.fromkeys(one.chart for one in finding.proofs if one.chart in charts):
        yield from _draw_chart(charts[name], page.axes)


def _draw_chart(chart: Chart, axes: dict[str, ChartAxis]) -> Iterator[str]:
    for line in chart.lines:
        series = read_line(line, axes)
        curve = draw_sparkline(series, CURVE_WIDTH) if len(series) > 1 else None
        if curve is not None:
            ends = (format_number(float(series.lows.min())), format_number(float(series.highs.max())))
            yield f"<pre style='margin:.2em 1em'>{_escape(f'{line.name}  {ends[0]} {curve.drawn} {ends[1]}')}</pre>"


def _write_sections(sections: Iterable[Section]) -> Iterator[str]:
    """Every section behind its title, to be opened; curves have their own way to be seen, `weaklink report`."""
    for section in sections:
        body = "".join(_write_block(block) for block in section.blocks)
        note = f"<p style='opacity:.7'>{_escape(section.note)}</p>" if section.note else ""
        if body or (note and section.title):
            yield f"<details><summary>{_escape(section.title)}</summary>{note}{body}</details>"


def _write_block(block: Block) -> str:
    match block:
        case Table():
            return _write_table(block.title, block.columns, [row.cells for row in block.rows])
        case Prose():
            told = "".join(f"<p>{_escape(paragraph)}</p>" for paragraph in block.paragraphs)
            return _write_title(block.title) + told + (f"<pre>{_escape(block.code)}</pre>" if block.code else "")
        case Checklist():
            items = (f"{BOXES[item.state]} {item.name}: {item.told or item.command}" for item in block.items)
            return _write_list(f"{block.title}, {block.note}", items)
        case Boxes():
            rows = [(row.label, format_number(row.mean), row.note) for row in block.rows]
            return _write_table(block.title, ("", "mean", ""), rows)
        case Histogram():
            bins = [(f"{format_number(one.low)} to {format_number(one.high)}", f"{one.count:,}") for one in block.bins]
            return _write_table(block.title, ("", "count"), bins)
        case TextColumns():
            return "".join(
                _write_list(side.title, (f"{text.title} → {text.body}" for text in side.texts)) for side in block.sides
            )
        case Strips() | Chart() | Triage():
            return ""


def _write_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th style='text-align:left'>{_escape(name)}</th>" for name in columns)
    shown = "".join(
        f"<tr>{''.join(f'<td style={chr(34)}text-align:left{chr(34)}>{_escape(cell)}</td>' for cell in row)}</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = f"<p style='opacity:.7'>and {len(rows) - MOST_ROWS:,} more</p>" if len(rows) > MOST_ROWS else ""
    return f"{_write_title(title)}<table><tr>{head}</tr>{shown}</table>{more}" if rows else ""


def _write_list(title: str, items: Iterable[str]) -> str:
    shown = "".join(f"<li>{_escape(item)}</li>" for item in items)
    return f"{_write_title(title)}<ul style='margin:.1em 0'>{shown}</ul>" if shown else ""


def _write_title(title: str) -> str:
    return f"<p style='margin:.5em 0 .1em'><b>{_escape(title)}</b></p>" if title else ""


def _escape(text: str) -> str:
    return escape(clean(text))
