"""A curve under the number that it proves: one line, with a mark where a finding begins."""

from __future__ import annotations

from collections.abc import Mapping

from weaklink.show.document import Chart, ChartAxis
from weaklink.show.layout import TerminalSheet
from weaklink.show.sparkline import draw_sparkline
from weaklink.show.text import format_number, format_step
from weaklink.show.thinning import read_line

WIDEST_CURVE = 60


def draw_curve(chart: Chart, code: str, axes: Mapping[str, ChartAxis], sheet: TerminalSheet) -> bool:
    """Draws the first curve of a chart with the onset of a finding; whether there was one to draw."""
    series = read_line(chart.lines[0], axes)
    if len(series) < 2:
        return False
    onset = next((mark.at for mark in chart.marks if mark.code == code), None)
    low, high = format_number(float(series.lows.min())), format_number(float(series.highs.max()))
    room = min(WIDEST_CURVE, sheet.width - 8 - len(low) - len(high))
    curve = draw_sparkline(series, room, mark=onset, unicode=sheet.unicode)
    if curve is None:
        return False
    sheet.line((" " * 6, ""), (low, "dim"), (" ", ""), (curve.drawn, "curve"), (" ", ""), (high, "dim"))
    if curve.mark is None or onset is None:
        return True
    left, label, sign = 7 + len(low) + curve.mark, f"step {format_step(onset)}", "▲" if sheet.unicode else "^"
    if left + 2 + len(label) > sheet.width:
        sheet.line((" " * (left - len(label) - 1) + label + " ", "dim"), (sign, "mark"))
    else:
        sheet.line((" " * left, ""), (sign, "mark"), (f" {label}", "dim"))
    return True
