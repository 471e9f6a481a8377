"""A survey in pictures made of text: many would rather look than read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from weaklink.base.evidence.series import Provenance, Series
from weaklink.base.evidence.survey import RANDOM
from weaklink.show.figures import (
    Contestants,
    Pictures,
    Returns,
    Rewards,
    Share,
    Sweeps,
    Trace,
    Traces,
    pictures,
)
from weaklink.show.layout import Page
from weaklink.show.sparkline import ASCII, BLOCKS, sparkline
from weaklink.show.text import clean, number, several, shortened

__all__ = ["Pictures", "draw", "pictures"]

INDENT = 2
WIDEST_LABEL = 18
WIDEST_PLOT = 60
NARROWEST_PLOT = 16
WIDEST_BAR = 40
NARROWEST_BAR = 4
EIGHTHS = "▏▎▍▌▋▊▉█"


def draw(pictures: Pictures, page: Page) -> None:
    """Draws what there is, one picture below the other."""
    if pictures.baselines is not None:
        _baselines(pictures.baselines, page)
    if pictures.rewards is not None:
        _rewards(pictures.rewards, page)
    if pictures.shares is not None:
        _shares(pictures.shares, pictures.baselines, page)
    if pictures.traces is not None:
        _traces(pictures.traces, page)
    if pictures.sweeps is not None:
        _sweeps(pictures.sweeps, page)


def _heading(name: str, told: str, page: Page) -> None:
    page.gap()
    page.text((name, "strong"), (f"  {told}" if told else "", "dim"), hang=INDENT)


def _label(text: str, width: int, page: Page) -> str:
    return shortened(clean(text), width, "…" if page.unicode else "...").ljust(width)


def _figure(value: float) -> str:
    """A value in three digits, or as many as it has before its point."""
    return number(value) if abs(value) >= 1000 or value != value else number(float(f"{value:.3g}"))


def _widest(labels: Iterable[str], page: Page) -> int:
    """The width of a column of labels: a quarter of the page at most."""
    return min(WIDEST_LABEL, page.width // 4, max(len(clean(label)) for label in labels))


# -- returns ---------------------------------------------------------------------------------------------------------


def _baselines(baselines: Contestants, page: Page) -> None:
    plays = baselines.plays
    left = _widest((play.policy for play in plays), page)
    rest = page.width - INDENT - left - 4
    columns = _columns(plays, rest)
    plot = min(WIDEST_PLOT, rest - len(columns[0]))
    low, high = min(play.low for play in plays), max(play.high for play in plays)
    _heading("Returns", "", page)
    page.line(
        (" " * (INDENT + left + 2), ""),
        (_ends(_figure(low), _figure(high), plot), "dim"),
        ("  ", ""),
        (columns[0], "dim"),
    )
    for play, told in zip(plays, columns[1:], strict=True):
        page.line(
            (" " * INDENT, ""),
            (_label(play.policy, left, page), "strong"),
            ("  ", ""),
            (_range(play, low, high, plot, unicode=page.unicode), "curve"),
            ("  ", ""),
            (told, ""),
        )
    if len(plays) > 1:
        _ranking(baselines, page)


def _columns(plays: Sequence[Returns], room: int) -> list[str]:
    """The numbers beside the plots, under their heads: as many as leave the plots some room."""
    means = _aligned(["mean", *(_figure(play.mean) for play in plays)])
    intervals = [f"({_figure(play.mean_low)} to {_figure(play.mean_high)})" for play in plays]
    ranges = _aligned(["(95 % interval)", *intervals], left=True)
    counts = _aligned(["episodes", *(f"{play.episodes:,}" for play in plays)])
    for parts in ((means, ranges, counts), (means, ranges), (means,)):
        lines = ["  ".join(line) for line in zip(*parts, strict=True)]
        if room - len(lines[0]) >= NARROWEST_PLOT:
            return lines
    return means


def _aligned(cells: Sequence[str], *, left: bool = False) -> list[str]:
    wide = max(map(len, cells))
    return [cell.ljust(wide) if left else cell.rjust(wide) for cell in cells]


def _ends(low: str, high: str, width: int) -> str:
    """The two ends of an axis."""
    gap = width - len(low) - len(high)
    if low == high or gap < 1:
        return (low if low == high else f"{low} to {high}").center(width)[:width]
    return low + " " * gap + high


def _range(play: Returns, low: float, high: float, width: int, *, unicode: bool) -> str:
    """Extremes, quartiles and median on a common axis."""
    marks = (play.low, play.quarter, play.middle, play.three_quarters, play.high)
    first, quarter, middle, three_quarters, last = (_column(mark, low, high, width) for mark in marks)
    cells = [" "] * width
    cells[first : last + 1] = ("─" if unicode else "-") * (last + 1 - first)
    cells[first], cells[last] = ("├", "┤") if unicode else ("|", "|")
    cells[quarter : three_quarters + 1] = ("━" if unicode else "=") * (three_quarters + 1 - quarter)
    if not unicode:
        cells[quarter], cells[three_quarters] = "[", "]"
    cells[middle] = "╋" if unicode else "|"
    return "".join(cells)


def _column(value: float, low: float, high: float, width: int) -> int:
    reach = high / 2 - low / 2  # halved, so that the distance between two huge numbers stays finite
    share = (value / 2 - low / 2) / reach if reach > 0 else 0.5
    return round(share * (width - 1))


def _ranking(baselines: Contestants, page: Page) -> None:
    """The plays from best to worst, with a sign between neighbours."""
    ordered = sorted(baselines.plays, key=lambda play: -play.mean)
    better = {frozenset((duel.first, duel.second)): bool(duel.better) for duel in baselines.duels}
    even = "≈" if page.unicode else "~"
    told = ordered[0].policy
    for before, after in pairwise(ordered):
        told += f" {'>' if better.get(frozenset((before.policy, after.policy))) else even} {after.policy}"
    page.text(
        (told, ""), (f"  ({even} cannot be told apart)" if f" {even} " in told else "", "dim"), indent=INDENT, hang=2
    )


# -- rewards ---------------------------------------------------------------------------------------------------------


def _rewards(rewards: Rewards, page: Page) -> None:
    odd = f", {rewards.not_finite:,} of them no finite number" if rewards.not_finite else ""
    _heading("Rewards", f"{several(rewards.steps, 'step')}{odd}", page)
    rows = [(bar.low, _between(bar.low, bar.high), bar.count) for bar in rewards.bars if bar.count]
    if rewards.zeros:
        rows.append((0.0, "0", rewards.zeros))
    rows.sort(key=lambda row: row[0])
    if rows:
        _bars([(label, count) for _, label, count in rows], rewards.steps, page)


def _between(low: float, high: float) -> str:
    return _figure(low) if low == high else f"{_figure(low)} to {_figure(high)}"


def _bars(rows: Sequence[tuple[str, int]], whole: int, page: Page) -> None:
    left = max(len(label) for label, _ in rows)
    counts = _aligned([f"  {count:,}" for _, count in rows])
    room = page.width - INDENT - left - 9
    if room - len(counts[0]) < NARROWEST_BAR:
        counts = ["" for _ in rows]
    room = min(WIDEST_BAR, room - len(counts[0]))
    most = max(count for _, count in rows)
    for (label, count), shown in zip(rows, counts, strict=True):
        bar = _bar(count / most, max(room, 1), unicode=page.unicode)
        page.line(
            (" " * INDENT + label.rjust(left) + "  ", ""),
            (bar, "curve"),
            (f"  {_percent(count / whole)}", ""),
            (shown, "dim"),
        )


def _bar(share: float, width: int, *, unicode: bool) -> str:
    """A bar in as many columns as its share; what is more than nothing is never drawn as nothing."""
    if not unicode:
        return ("#" * max(round(share * width), 1 if share > 0 else 0)).ljust(width)
    eighths = max(round(share * width * 8), 1 if share > 0 else 0)
    return ("█" * (eighths // 8) + (EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")).ljust(width)


def _percent(share: float) -> str:
    return "<1 %".rjust(5) if 0 < share < 0.005 else f"{100 * share:3.0f} %"


# -- components ------------------------------------------------------------------------------------------------------


def _shares(shares: Sequence[Share], baselines: Contestants | None, page: Page) -> None:
    """The parts of the reward, for random play and for the best."""
    _heading("Parts of the reward", "share of the variance, mean a step", page)
    means = {play.policy: play.mean for play in baselines.plays} if baselines else {}
    best = max(means, key=lambda name: means[name], default="")
    known = dict.fromkeys(share.policy for share in shares)
    chosen = [name for name in dict.fromkeys((RANDOM, best)) if name in known] or list(known)[:1]
    rows = [share for name in chosen for share in shares if share.policy == name]
    left, middle = _widest(chosen, page), _widest((share.component for share in rows), page)
    ends = _aligned([f"  {_figure(share.mean)}" for share in rows])
    room = page.width - INDENT - left - middle - 11
    if room - len(ends[0]) < NARROWEST_BAR:
        ends = ["" for _ in rows]
    room = min(WIDEST_BAR, room - len(ends[0]))
    before = ""
    for share, mean in zip(rows, ends, strict=True):
        name = "" if share.policy == before else share.policy
        before = share.policy
        page.line(
            (" " * INDENT, ""),
            (_label(name, left, page), "strong"),
            (f"  {_label(share.component, middle, page)}  ", ""),
            (_bar(share.share, room, unicode=page.unicode), "curve"),
            (f"  {_percent(share.share)}{mean}", ""),
        )


# -- observations ----------------------------------------------------------------------------------------------------


def _traces(traces: Traces, page: Page) -> None:
    more = f", {several(traces.left_out, 'more column')} not shown" if traces.left_out else ""
    _heading("What is seen", f"one episode of {traces.policy}, {several(traces.steps, 'step')}{more}", page)
    left = _widest((trace.label for trace in traces.traces), page)
    lows = _aligned([_figure(trace.low) for trace in traces.traces])
    highs = [_figure(trace.high) for trace in traces.traces]
    room = min(WIDEST_PLOT, page.width - INDENT - left - len(lows[0]) - max(map(len, highs)) - 4)
    for trace, low, high in zip(traces.traces, lows, highs, strict=True):
        page.line(
            (" " * INDENT, ""), (_label(trace.label, left, page), ""), ("  ", ""), *_drawn(trace, low, high, room, page)
        )


def _drawn(trace: Trace, low: str, high: str, room: int, page: Page) -> list[tuple[str, str]]:
    if not trace.lows:
        return [("never a finite number", "warn")]
    if trace.low == trace.high:
        return [(low, "dim"), (" always", "dim")]
    lows, highs = np.asarray(trace.lows), np.asarray(trace.highs)
    steps = np.arange(len(lows), dtype=float)
    series = Series(trace.label, steps, lows / 2 + highs / 2, lows, highs, Provenance(key=trace.label), len(lows))
    curve = sparkline(series, max(room, 1), unicode=page.unicode)
    return [(low, "dim"), (" ", ""), (curve.drawn if curve else "", "curve"), (" ", ""), (high, "dim")]


# -- actions ---------------------------------------------------------------------------------------------------------


def _sweeps(sweeps: Sweeps, page: Page) -> None:
    more = f", {several(sweeps.left_out, 'more dimension')} not shown" if sweeps.left_out else ""
    _heading(
        "What actions do", f"from lowest to highest: at once, and after {several(sweeps.horizon, 'step')}{more}", page
    )
    left = _widest((each.label for each in sweeps.dimensions), page)
    near = [max(each.near, default=0.0) for each in sweeps.dimensions]
    far = [max(each.far, default=0.0) for each in sweeps.dimensions]
    ends = [_aligned([f"{size:.3g}" for size in sizes]) for sizes in (near, far)]
    wide = max(len(each.positions) for each in sweeps.dimensions)
    room = max(1, min(wide, (page.width - INDENT - left - len(ends[0][0]) - len(ends[1][0]) - 8) // 2))
    for place, each in enumerate(sweeps.dimensions):
        page.line(
            (" " * INDENT, ""),
            (_label(each.label, left, page), ""),
            ("  ", ""),
            (_profile(each.near, max(near), room, unicode=page.unicode), "curve"),
            (f" {ends[0][place]}   ", ""),
            (_profile(each.far, max(far), room, unicode=page.unicode), "curve"),
            (f" {ends[1][place]}", ""),
        )


def _profile(effects: Sequence[float], most: float, width: int, *, unicode: bool) -> str:
    """One column a position, on a scale that all dimensions share."""
    signs = BLOCKS if unicode else ASCII
    shown = [effects[place * len(effects) // width] for place in range(width)] if len(effects) > width else effects
    levels = (round(min(effect / most, 1.0) * (len(signs) - 1)) if most > 0 else 0 for effect in shown)
    return "".join(signs[max(each, 0)] for each in levels).ljust(width)
