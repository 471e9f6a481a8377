"""A comparison for a person at a terminal: the answer, what is broken, both curves side by side, the table."""

from __future__ import annotations

from itertools import zip_longest

from weaklink.base.evidence.comparison import Comparison
from weaklink.base.evidence.standing import Curve, Level, Standing, curve, standing
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import against_wording as told
from weaklink.show import wording
from weaklink.show.layout import Page, Span
from weaklink.show.terminal import findings, heading
from weaklink.show.text import number, shortened, step

HEIGHT = 8
GAP = 3
NARROWEST_PANEL = 16
Line = tuple[Span, ...]


def report(diagnosis: Diagnosis, comparison: Comparison, page: Page) -> Page:
    """Writes the whole of it."""
    found = standing(comparison)
    _answer(diagnosis, comparison, found, page)
    findings(diagnosis, None, page)
    _curves(comparison, page)
    _table(comparison, found, page)
    page.gap()
    for line in (*told.settings(comparison), *wording.unable(diagnosis), *diagnosis.notes):
        page.text((line, "dim"), hang=2)
    return page


def _answer(diagnosis: Diagnosis, comparison: Comparison, found: Standing, page: Page) -> None:
    verdict: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        page.text(verdict, ("  ", ""), (told.reason(diagnosis, comparison, found), ""), hang=len(verdict[0]) + 2)
    else:
        page.line(verdict, ("  ", ""), (first.link.value, "strong"), ("  ", ""), (wording.title(first), "strong"))
    page.text((" · ".join(told.facts(comparison)), "dim"))


def _curves(comparison: Comparison, page: Page) -> None:
    """Both panels on one axis; one below the other where the page is too narrow."""
    sides = (comparison.trainer, comparison.reference)
    drawn = [(side.name, curve(side, comparison.steps)) for side in sides]
    known = [level for _, line in drawn for level in line.levels]
    if not known:
        return
    low, high = min(level.low for level in known), max(level.high for level in known)
    left = max(len(_figure(low)), len(_figure(high)))
    wide = (page.width - left - 2 - GAP) // 2
    beside = wide >= NARROWEST_PANEL
    columns = min(len(max((line.levels for _, line in drawn), key=len)), wide if beside else page.width - left - 2)
    heading("Returns in training", page, indent=0)
    panels = [_panel(name, line, low, high, columns, page) for name, line in drawn]
    if beside:
        room = max(columns, min(wide, max(len(name) for name, _ in drawn)))
        for one, two in zip_longest(*(_padded(panel, room) for panel in panels), fillvalue=(("", ""),)):
            page.line(*one, (" " * GAP, ""), *two[1:])
    else:
        for panel in panels:
            for line in panel:
                page.line(*line)
    mark, bar = _signs(page)
    page.text((f"{mark} mean over seeds, {bar} its interval (95 %)", "dim"))


def _padded(panel: list[Line], room: int) -> list[Line]:
    """The lines of a panel, their second part filled up to one width."""
    lines: list[Line] = []
    for axis, (text, style) in panel:
        lines.append((axis, (shortened(text, room).ljust(room), style)))
    return lines


def _panel(name: str, line: Curve, low: float, high: float, columns: int, page: Page) -> list[Line]:
    """A title, the rows from high to low, and the axis of steps."""
    left = max(len(_figure(low)), len(_figure(high)))
    levels = _spread(line.levels, columns)
    axis = " " * (left + 2)
    rows: list[Line] = [((axis, ""), (name, "strong"))]
    mark, bar = _signs(page)
    for row in reversed(range(HEIGHT)):
        cells = [_cell(level, row, low, high, mark, bar) for level in levels]
        label = _figure(high) if row == HEIGHT - 1 else _figure(low) if row == 0 else ""
        rows.append(((f"{label.rjust(left)}  ", "dim"), ("".join(cells), "curve")))
    end = step(line.steps[-1]) if line.steps else ""
    rows.append(((axis, ""), (f"0{end.rjust(max(columns - 1, 1))}", "dim")))
    return rows


def _signs(page: Page) -> tuple[str, str]:
    return ("●", "│") if page.unicode else ("o", "|")


def _spread(levels: tuple[Level, ...], columns: int) -> list[Level]:
    if len(levels) <= columns:
        return list(levels)
    return [levels[round(place * (len(levels) - 1) / max(columns - 1, 1))] for place in range(columns)]


def _cell(level: Level, row: int, low: float, high: float, mark: str, bar: str) -> str:
    place, bottom, top = (_row(value, low, high) for value in (level.mean, level.low, level.high))
    return mark if row == place else bar if bottom <= row <= top else " "


def _row(value: float, low: float, high: float) -> int:
    reach = high / 2 - low / 2  # halved, so that the distance between two huge numbers stays finite
    return round((value / 2 - low / 2) / reach * (HEIGHT - 1)) if reach > 0 else HEIGHT // 2


def _figure(value: float) -> str:
    return number(float(f"{value:.3g}"))


def _table(comparison: Comparison, found: Standing, page: Page) -> None:
    heading("Side by side", page, indent=0)
    head = ("", comparison.trainer.name, comparison.reference.name)
    page.table(head, [[(cell, "") for cell in row] for row in told.rows(comparison, found)], stretch=0)
    for line in told.between(comparison, found):
        page.text((line, ""), hang=2)
