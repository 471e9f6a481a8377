"""The emergency procedure for a person at a terminal: the answer, the versions, the parts, what the model sees."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Provenance, Series
from weaklink.show import minimal_wording as words
from weaklink.show.layout import Page, Span
from weaklink.show.sparkline import sparkline
from weaklink.show.terminal import heading
from weaklink.show.text import number
from weaklink.verbs.debug.minimal.evidence import Minimal, Seen, SeenPart, Version

WIDTH = 24
STYLES = {"learnt": "", "sometimes": "warn", "not learnt": "error", "failed": "error", "nothing to learn": "error"}


def report(result: Minimal, page: Page, file: str = "") -> Page:
    """Writes the whole of it; `file` says what a person may open next."""
    style = words.VERDICTS[result.works]
    verdict: Span = (words.WORDS[result.works].upper(), style)
    page.text(verdict, ("  ", ""), (result.headline, ""), hang=2)
    page.text((f"{result.target.word or result.target.name} · {words.agent(result)} · {result.seconds:.0f} s", "dim"))
    if result.versions:
        heading("Versions of the task", page, indent=0)
        for version in result.versions:
            _version(version, page)
    _parts(result, page)
    _seen(result, page)
    heading("Next", page, indent=0)
    for count, step in enumerate(result.next_steps, 1):
        page.text((f"{count}. ", "dim"), (step, ""), indent=2, hang=3)
    page.gap()
    for remark in words.remarks(result):
        page.text((remark, "dim"), hang=2)
    if file:
        page.text((file, ""))
    return page


def _version(version: Version, page: Page) -> None:
    name, state, random, trained, steps, eased = words.version_row(version)
    page.text((name, "strong"), ("  ", ""), (state, STYLES.get(version.state, "dim")), indent=2, hang=4)
    told = f"random {random}, trained {trained} after {steps} steps" if random or trained else ""
    for line in (told, f"made easier: {eased}" if version.task.is_easier else ""):
        if line:
            page.text((line, "dim"), indent=4)
    for attempt in version.attempts:
        curve = _curve(tuple(value for _, value in attempt.curve), page)
        if curve:
            page.line((f"    seed {attempt.seed}  ", "dim"), *curve)


def _curve(values: tuple[float, ...], page: Page, width: int = 40) -> list[Span]:
    if len(values) < 2 or not np.isfinite(values).all():
        return []
    array = np.asarray(values, dtype=float)
    steps = np.arange(len(array), dtype=float)
    series = Series("return", steps, array, array, array, Provenance(key="return"), len(array))
    drawn = sparkline(series, width, unicode=page.unicode)
    if drawn is None:
        return []
    return [(number(drawn.low), "dim"), (" ", ""), (drawn.drawn, "curve"), (" ", ""), (number(drawn.high), "dim")]


def _parts(result: Minimal, page: Page) -> None:
    if not result.effects:
        return
    heading("Each part of the reward alone", page, indent=0)
    head, rows = words.matrix(result.effects)
    page.table(
        head, [[(cell, "strong" if not place else "") for place, cell in enumerate(row)] for row in rows], stretch=0
    )
    for one, other in result.fights:
        page.text((f"{one} and {other} fight: each is earned at the expense of the other.", "warn"), indent=2)


def _seen(result: Minimal, page: Page) -> None:
    if not result.looked.seen:
        return
    heading(f"What the model sees ({words.seen_by(result)})", page, indent=0)
    for part in result.looked.seen:
        page.text((words.seen_title(part), "dim"), indent=2)
        widest = max((len(entry.label) for entry in part.entries), default=0)
        for entry in part.entries:
            _entry(entry, min(widest, page.width // 3), part, page)
        for picture in part.pictures:
            page.line((f"  {picture.label}", "dim"))
            for row in words.drawn(picture):
                page.line((f"  {row}", ""))


def _entry(entry: Seen, widest: int, part: SeenPart, page: Page) -> None:
    numbers = f"{number(entry.low)} to {number(entry.high)}, mean {number(entry.mean)}, spread {number(entry.spread)}"
    spans: list[Span] = [(f"  {entry.label[:widest]:<{widest}}  ", "")]
    curve = [] if part.pictures or "constant" in entry.notes else _curve(entry.trace, page, WIDTH)
    if not part.pictures:
        spans += [(curve[2][0], "curve"), ("  ", "")] if curve else [(" " * (WIDTH + 2), "")]
    spans += [(numbers, "dim")]
    spans += [(f"  {', '.join(entry.notes)}", "warn")] if entry.notes else []
    page.line(*spans)
