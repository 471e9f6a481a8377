"""Curves, ranges and bars drawn in characters."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from weaklink.base.evidence.series import Series
from weaklink.show.document import Box, HistogramBin
from weaklink.show.layout import Span, TerminalSheet
from weaklink.show.sparkline import ASCII, BLOCKS, draw_sparkline
from weaklink.show.text import clean, format_number, shorten

INDENT = 2
WIDEST_LABEL = 24
WIDEST_PLOT = 60
NARROWEST_PLOT = 16
NARROWEST_NOTE = 12
WIDEST_BAR = 40
NARROWEST_BAR = 4
EIGHTHS = "▏▎▍▌▋▊▉█"
Profile = Sequence[tuple[str, Sequence[float], str]]
"""Label, values and note of each of some curves on one scale."""


class LabelledCurve(msgspec.Struct, frozen=True):
    """A curve with its label, and what is said of it."""

    label: str
    series: Series
    note: str = ""


def _format_number(value: float) -> str:
    """A value in three digits, or as many as it has before its point."""
    return format_number(value) if abs(value) >= 1000 or value != value else format_number(float(f"{value:.3g}"))


def _format_labels(texts: Sequence[str], sheet: TerminalSheet) -> list[str]:
    """A column of labels: a quarter of the sheet at most."""
    width = min(WIDEST_LABEL, sheet.width // 4, max(len(clean(text)) for text in texts))
    return [shorten(clean(text), width, sheet.ellipsis).ljust(width) for text in texts]


def _align(cells: Sequence[str], *, left: bool = False) -> list[str]:
    wide = max(map(len, cells))
    return [cell.ljust(wide) if left else cell.rjust(wide) for cell in cells]


# -- curves ----------------------------------------------------------------------------------------------------------


def draw_curves(
    curves: Sequence[LabelledCurve], sheet: TerminalSheet, scale: tuple[float, float] | None = None
) -> None:
    """One line each: label, lowest value, curve, highest value, note; on one scale where there is one."""
    if not curves:
        return
    labels = _format_labels([curve.label for curve in curves], sheet)
    drawn = [len(curve.series) > 0 for curve in curves]
    lows = [
        _format_number(float(one.series.lows.min())) if known else "" for one, known in zip(curves, drawn, strict=True)
    ]
    highs = [
        _format_number(float(one.series.highs.max())) if known else "" for one, known in zip(curves, drawn, strict=True)
    ]
    room = sheet.width - INDENT - len(labels[0]) - max(map(len, lows)) - max(map(len, highs)) - 4
    left = room - NARROWEST_PLOT - 2
    varying = [low != high or scale is not None for low, high in zip(lows, highs, strict=True)]
    notes = [
        _cut(clean(curve.note), left, sheet.ellipsis) if left >= NARROWEST_NOTE and varies else ""
        for curve, varies in zip(curves, varying, strict=True)
    ]
    room = max(1, min(WIDEST_PLOT, room - max(len(note) + 2 if note else 0 for note in notes)))
    for label, curve, low, high, note in zip(labels, curves, _align(lows), highs, notes, strict=True):
        spans = _draw_curve(curve.series, low, high, room, scale, sheet)
        sheet.line((" " * INDENT, ""), (label, ""), ("  ", ""), *spans, (f"  {note}".rstrip(), "dim"))


def _draw_curve(
    series: Series, low: str, high: str, room: int, scale: tuple[float, float] | None, sheet: TerminalSheet
) -> list[Span]:
    if not len(series):
        return [("never a finite number", "warn")]
    if low.strip() == high and scale is None:
        return [(f"{low} always", "dim")]
    curve = draw_sparkline(series, room, unicode=sheet.unicode, scale=scale)
    return [(low, "dim"), (" ", ""), (curve.drawn if curve else "", "curve"), (" ", ""), (high, "dim")]


def draw_profiles(profiles: Sequence[Profile], sheet: TerminalSheet) -> None:
    """Curves of the same things beside each other, each set on a scale of its own from 0 to its largest value."""
    labels = _format_labels([label for label, _, _ in profiles[0]], sheet)
    notes = [_align([clean(note) for _, _, note in profile], left=True) for profile in profiles]
    room = sheet.width - INDENT - len(labels[0]) - 2 - sum(len(told[0]) + 1 for told in notes) - 3 * (len(profiles) - 1)
    longest = max(len(values) for profile in profiles for _, values, _ in profile)
    wide = max(1, min(longest, room // len(profiles)))
    for place, label in enumerate(labels):
        spans: list[Span] = [(" " * INDENT + label + "  ", "")]
        for at, (profile, told) in enumerate(zip(profiles, notes, strict=True)):
            most = max((value for _, values, _ in profile for value in values), default=0.0)
            drawn = _draw_levels(profile[place][1], most, wide, unicode=sheet.unicode)
            spans += [("   " if at else "", ""), (drawn, "curve"), (f" {told[place]}", "")]
        sheet.line(*spans)


def _draw_levels(values: Sequence[float], most: float, width: int, *, unicode: bool) -> str:
    signs = BLOCKS if unicode else ASCII
    shown = [values[place * len(values) // width] for place in range(width)] if len(values) > width else values
    levels = (round(min(value / most, 1.0) * (len(signs) - 1)) if most > 0 else 0 for value in shown)
    return "".join(signs[max(level, 0)] for level in levels).ljust(width)


# -- ranges ----------------------------------------------------------------------------------------------------------


def draw_boxes(boxes: Sequence[Box], sheet: TerminalSheet) -> None:
    """Extremes, quartiles and median on one axis, with the mean and its interval beside them."""
    if not boxes:
        return
    labels = _format_labels([box.label for box in boxes], sheet)
    rest = sheet.width - INDENT - len(labels[0]) - 4
    columns = _format_numbers(boxes, rest, sheet)
    plot = min(WIDEST_PLOT, rest - len(columns[0]))
    low, high = min(box.low for box in boxes), max(box.high for box in boxes)
    axis = _ends(_format_number(low), _format_number(high), plot)
    sheet.line((" " * (INDENT + len(labels[0]) + 2), ""), (axis, "dim"), (f"  {columns[0]}", "dim"))
    for label, box, told in zip(labels, boxes, columns[1:], strict=True):
        drawn = _draw_box(box, low, high, plot, unicode=sheet.unicode)
        sheet.line((" " * INDENT, ""), (label, "strong"), ("  ", ""), (drawn, "curve"), (f"  {told}".rstrip(), ""))


def _format_numbers(boxes: Sequence[Box], room: int, sheet: TerminalSheet) -> list[str]:
    """The numbers beside the plots, under their heads: as many as leave the plots some room."""
    means = _align(["mean", *(_format_number(box.mean) for box in boxes)])
    intervals = [f"({_format_number(box.mean_low)} to {_format_number(box.mean_high)})" for box in boxes]
    ranges = _align(["(interval)", *intervals], left=True)
    left = room - NARROWEST_PLOT - len(means[0]) - len(ranges[0]) - 4
    notes = _align(["", *(_cut(clean(box.note), left, sheet.ellipsis) for box in boxes)], left=True)
    wanted = ((means, ranges, notes),) if left >= NARROWEST_NOTE else ()
    for parts in (*wanted, (means, ranges)):
        lines = ["  ".join(line) for line in zip(*parts, strict=True)]
        if room - len(lines[0]) >= NARROWEST_PLOT:
            return lines
    return means


def _cut(text: str, width: int, ellipsis: str) -> str:
    return text if len(text) <= width else text[: max(width - len(ellipsis), 0)].rstrip(" ,") + ellipsis


def _ends(low: str, high: str, width: int) -> str:
    """The two ends of an axis."""
    gap = width - len(low) - len(high)
    if low == high or gap < 1:
        return (low if low == high else f"{low} to {high}").center(width)[:width]
    return low + " " * gap + high


def _draw_box(box: Box, low: float, high: float, width: int, *, unicode: bool) -> str:
    marks = (box.low, box.quarter, box.middle, box.three_quarters, box.high)
    first, quarter, middle, three_quarters, last = (_find_column(mark, low, high, width) for mark in marks)
    cells = [" "] * width
    cells[first : last + 1] = ("─" if unicode else "-") * (last + 1 - first)
    cells[first], cells[last] = ("├", "┤") if unicode else ("|", "|")
    cells[quarter : three_quarters + 1] = ("━" if unicode else "=") * (three_quarters + 1 - quarter)
    if not unicode:
        cells[quarter], cells[three_quarters] = "[", "]"
    cells[middle] = "╋" if unicode else "|"
    return "".join(cells)


def _find_column(value: float, low: float, high: float, width: int) -> int:
    reach = high / 2 - low / 2  # halved, so that the distance between two huge numbers stays finite
    share = (value / 2 - low / 2) / reach if reach > 0 else 0.5
    return round(share * (width - 1))


# -- bars ------------------------------------------------------------------------------------------------------------


def draw_bars(bins: Sequence[HistogramBin], sheet: TerminalSheet) -> None:
    """A bar for each range of values, as long as what was counted in it."""
    if not bins:
        return
    labels = _align([_format_range(one.low, one.high) for one in bins])
    counts = _align([f"  {one.count:,}" for one in bins])
    room = sheet.width - INDENT - len(labels[0]) - 9
    if room - len(counts[0]) < NARROWEST_BAR:
        counts = ["" for _ in bins]
    room = max(1, min(WIDEST_BAR, room - len(counts[0])))
    most, whole = max(one.count for one in bins), sum(one.count for one in bins)
    for label, one, count in zip(labels, bins, counts, strict=True):
        bar = _draw_bar(one.count / max(most, 1), room, unicode=sheet.unicode)
        share = one.count / max(whole, 1)
        percent = "<1 %".rjust(5) if 0 < share < 0.005 else f"{100 * share:3.0f} %"
        sheet.line((f"{' ' * INDENT}{label}  ", ""), (bar, "curve"), (f"  {percent}", ""), (count, "dim"))


def _format_range(low: float, high: float) -> str:
    return _format_number(low) if low == high else f"{_format_number(low)} to {_format_number(high)}"


def _draw_bar(share: float, width: int, *, unicode: bool) -> str:
    """A bar in as many columns as its share; what is more than nothing is never drawn as nothing."""
    if not unicode:
        return ("#" * max(round(share * width), 1 if share > 0 else 0)).ljust(width)
    eighths = max(round(share * width * 8), 1 if share > 0 else 0)
    return ("█" * (eighths // 8) + (EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")).ljust(width)
