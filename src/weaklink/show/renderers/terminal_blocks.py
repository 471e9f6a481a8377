"""Sections and their blocks as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weaklink.show.columns import NARROWEST, tidy, write_columns
from weaklink.show.document import (
    Block,
    Boxes,
    Chart,
    ChartAxis,
    Checklist,
    Histogram,
    Prose,
    QuotedText,
    Section,
    Strips,
    Table,
    TableRow,
    TextColumns,
)
from weaklink.show.layout import Span, TerminalSheet
from weaklink.show.renderers.plots import LabelledCurve, draw_bars, draw_boxes, draw_curves, draw_profiles
from weaklink.show.text import clean
from weaklink.show.thinning import read_line, read_values

STATES = {"broken": "error", "consequence": "warn", "unknown": "dim", "failed": "error", "open": "dim"}
"""The style of a row or an item by its state."""

BOXES = {"done": "[x]", "failed": "[!]", "open": "[ ]"}
LINES_OF_PROMPT, LINES_OF_TEXT = 3, 10
MOST_FACTS = 4
Group = list[Block]


def write_sections(sections: Sequence[Section], axes: Mapping[str, ChartAxis], sheet: TerminalSheet) -> None:
    """Writes blocks under their titles, the first under its section's where it has none; folded ones are faint."""
    for section in sections:
        if section.folded:
            _write_folded(section, sheet)
            continue
        for place, group in enumerate(_group_blocks(section.blocks)):
            own, note = _make_title(group)
            title = own or ("" if place else section.title)
            if title:
                sheet.heading(title, note)
            if not place and section.note:
                sheet.text((section.note, "dim"), indent=2, hang=2)
            _write(group, axes, sheet)


def _write_folded(section: Section, sheet: TerminalSheet) -> None:
    sheet.gap()
    sheet.text((section.note, "dim"))
    for block in section.blocks:
        if isinstance(block, Prose):
            for paragraph in block.paragraphs:
                sheet.text((paragraph, "dim"), hang=2)
        elif isinstance(block, Table):
            sheet.text((block.title, "dim"))
            _write_table(block, sheet, faint=True)


def _group_blocks(blocks: Sequence[Block]) -> Iterator[Group]:
    """Blocks that are drawn as one: charts of one line each, and strips of the same things."""
    group: Group = []
    for block in blocks:
        if group and not _belong_together(group[-1], block):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _belong_together(one: Block, other: Block) -> bool:
    if isinstance(one, Chart) and isinstance(other, Chart):
        return len(one.lines) == len(other.lines) == 1
    if isinstance(one, Strips) and isinstance(other, Strips):
        return one.title == other.title and one.shared and other.shared
    return False


def _make_title(group: Group) -> tuple[str, str]:
    """The heading of a group and its note; single curves carry their titles as labels."""
    first = group[0]
    if isinstance(first, Chart) and len(first.lines) == 1:
        return "", ""
    return first.title, "; ".join(block.note for block in group if block.note)


def _write(group: Group, axes: Mapping[str, ChartAxis], sheet: TerminalSheet) -> None:
    match group[0]:
        case Chart():
            _draw_charts([one for one in group if isinstance(one, Chart)], axes, sheet)
        case Strips():
            _draw_strips([one for one in group if isinstance(one, Strips)], sheet)
        case Table() as table:
            _write_table(table, sheet)
        case Prose() as prose:
            _write_prose(prose, sheet)
        case Checklist() as checklist:
            _write_checklist(checklist, sheet)
        case TextColumns() as sides:
            _write_text_columns(sides, sheet)
        case Boxes() as boxes:
            draw_boxes(boxes.rows, sheet)
        case Histogram() as histogram:
            draw_bars(histogram.bins, sheet)


def _draw_charts(charts: Sequence[Chart], axes: Mapping[str, ChartAxis], sheet: TerminalSheet) -> None:
    """Charts of one line each as rows; the lines of one chart as rows on one scale."""
    if len(charts[0].lines) == 1:
        draw_curves([LabelledCurve(one.title, read_line(one.lines[0], axes), one.note) for one in charts], sheet)
        return
    curves = [LabelledCurve(line.name, read_line(line, axes)) for line in charts[0].lines]
    values = [float(value) for curve in curves for value in curve.series.values]
    draw_curves(curves, sheet, scale=(min(values, default=0.0), max(values, default=0.0)))


def _draw_strips(blocks: Sequence[Strips], sheet: TerminalSheet) -> None:
    if blocks[0].shared:
        draw_profiles([[(row.label, row.values, row.note) for row in block.rows] for block in blocks], sheet)
    else:
        rows = blocks[0].rows
        draw_curves(
            [
                LabelledCurve(row.label, read_values(row.label, row.values, row.lows, row.highs), row.note)
                for row in rows
            ],
            sheet,
        )


def _write_table(table: Table, sheet: TerminalSheet, *, faint: bool = False) -> None:
    rows = table.rows[: table.short or None]
    kept = [place for place in table.narrow or range(len(table.columns)) if any(row.cells[place] for row in rows)]
    if table.listed:
        _write_list([[row.cells[place] for place in kept] for row in rows], rows, sheet, faint=faint)
    elif kept:
        _write_columns(table, rows, kept, sheet)
    left = len(table.rows) - len(rows)
    if left and not faint:
        sheet.text((f"and {left:,} more: --format json has them all", "dim"))


def _write_columns(table: Table, rows: Sequence[TableRow], kept: Sequence[int], sheet: TerminalSheet) -> None:
    """Rows under their heads; of the columns of words the widest gives way."""
    cells = [[(row.cells[place], STATES.get(row.state, "")) for place in kept] for row in rows]
    right = [at for at, place in enumerate(kept) if place in table.numeric]
    wide = [0 if at in right else max(len(clean(row[at][0])) for row in cells) for at in range(len(kept))]
    sheet.table([table.columns[place] for place in kept], cells, stretch=wide.index(max(wide)), right=right)


def _write_list(cells: Sequence[Sequence[str]], rows: Sequence[TableRow], sheet: TerminalSheet, *, faint: bool) -> None:
    """Rows without heads: all but the last cell in columns, where these leave it room, the last in as many lines."""
    columns = [max(len(clean(cell)) for cell in column) for column in list(zip(*cells, strict=True))[:-1]]
    wide = sum(columns) + 2 * len(columns)
    padded = wide <= sheet.width // 3
    for texts, row in zip(cells, rows, strict=True):
        style = STATES.get(row.state, "")
        shown = [clean(text).ljust(width * padded) + "  " for text, width in zip(texts, columns, strict=False)]
        styles = ["" if faint else "strong", *(style for _ in shown[1:])]
        last: Span = (texts[-1], "dim" if faint or row.state == "unknown" else "")
        hang = wide if padded and not faint else 2
        sheet.text(*zip(shown, styles, strict=False), last, indent=2, hang=hang)


def _write_prose(prose: Prose, sheet: TerminalSheet) -> None:
    for paragraph in prose.paragraphs:
        sheet.text((paragraph, ""), indent=2, hang=2)
    for line in prose.code.splitlines():
        sheet.line((f"  {line}", ""))


def _write_checklist(checklist: Checklist, sheet: TerminalSheet) -> None:
    """What is ticked or failed one by one, what is open by the command that would tick it."""
    waiting: dict[str, list[str]] = {}
    for item in checklist.items:
        if item.state == "open" and item.command:
            waiting.setdefault(item.command, []).append(item.name)
            continue
        box: Span = (f"{BOXES[item.state]} ", STATES.get(item.state, ""))
        sheet.text(box, (item.name, "strong"), (f"  {item.told}", ""), indent=2, hang=4)
    for command, names in waiting.items():
        sheet.text(
            (f"{BOXES['open']} ", "dim"), (", ".join(names), "strong"), (f"  {command}", "dim"), indent=2, hang=4
        )


def _write_text_columns(sides: TextColumns, sheet: TerminalSheet) -> None:
    """The first text of every side beside each other, then the second ones."""
    most = max(len(side.texts) for side in sides.sides)
    for place in range(min(most, sides.short or most)):
        cells = [
            _format_text(side.title, side.texts[place]) if place < len(side.texts) else [("", "")] * 4
            for side in sides.sides
        ]
        write_columns(sheet, cells, LINES_OF_TEXT)


def _format_text(side: str, text: QuotedText) -> list[Span]:
    facts = ", ".join(f"{name} {value}" for name, value in text.facts[:MOST_FACTS])
    title = tidy(text.title, NARROWEST * LINES_OF_PROMPT)
    return [(side, "strong"), (facts, "dim"), (title, "info"), (text.body if text.body.strip() else "(empty)", "")]
