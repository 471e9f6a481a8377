"""The page of a comparison: may these be compared, and if so, who is better and how sure is it?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.scores import Scores
from weaklink.show import compare_wording as told
from weaklink.show.page.blocks import Block, Box, Boxes, Chart, Page, Prose, Row, Section, Table
from weaklink.show.page.coverage import coverage
from weaklink.show.page.findings import findings, headline
from weaklink.show.page.loop import links
from weaklink.show.page.thinning import Axes, Thinned
from weaklink.show.text import several
from weaklink.verbs.compare import Compared

REFUSED = "The scores are not shown, because they may not be compared; --anyway shows them."


def compare_page(compared: Compared, *, id: str = "comparison") -> Page:
    """Evaluations, runs or groups of seeds side by side."""
    diagnosis, axes = compared.diagnosis, Axes()
    sections = [*_scores(compared, axes)]
    if compared.contrast is not None:
        head, rows = told.protocol(compared.contrast)
        states = ["broken" if row[-1] == told.DIFFERS else "" for row in rows]
        blocks: list[Block] = [*_table("Settings", head, rows, states=states)]
        if compared.contrast.looks:
            blocks += _table("Looks at each split", told.LOOKS, told.looks(compared.contrast))
        if blocks:
            sections.append(Section(id="protocol", title="How they were evaluated", blocks=tuple(blocks)))
    if compared.overlap is not None and compared.overlap.seen:
        table = _table("Items", told.SEEN, told.seen(compared.overlap))
        sections.append(Section(id="overlap", title="Items met in the training data", blocks=tuple(table)))
    facts = told.facts(compared)
    return Page(
        id=id,
        title=facts[0] if facts else diagnosis.target,
        command="compare",
        verdict=diagnosis.verdict.value,
        headline=headline(diagnosis, told.reason(compared)),
        facts=tuple(("compared" if place == 0 else "", fact) for place, fact in enumerate(facts)),
        loop=links(diagnosis),
        findings=findings(diagnosis),
        sections=(*sections, coverage(diagnosis)),
        advice=diagnosis.advice,
        axes=axes.found,
    )


def _scores(compared: Compared, axes: Axes) -> list[Section]:
    found = compared.scores
    if found is None:
        refused = Prose(title="Not shown", paragraphs=(REFUSED,))
        return [Section(id="scores", title="Scores", blocks=(refused,))] if compared.contrast is not None else []
    blocks: list[Block] = [*_boxes(found)]
    head, rows = told.scores(found)
    blocks += _table("Scores", head, rows)
    pairs = tuple(told.pairs(found, conclude=compared.comparable))
    if pairs:
        blocks.append(Prose(title="Against the first", paragraphs=pairs))
    if told.worth_drawing(found):
        blocks.append(_profiles(found, axes))
    title = "Scores" if compared.comparable else f"Scores ({told.NOT_COMPARABLE})"
    return [Section(id="scores", title=title, blocks=tuple(blocks))]


def _boxes(found: Scores) -> list[Boxes]:
    """Each score with its interval; of a score alone nothing else is known, so the box is the interval."""
    rows = []
    for score in found.parties:
        held = score.interval
        known = held is not None and math.isfinite(held.low) and math.isfinite(held.high)
        low, high = (held.low, held.high) if held is not None and known else (score.value, score.value)
        rows.append(
            Box(
                label=score.name,
                low=low,
                quarter=low,
                middle=score.value,
                three_quarters=high,
                high=high,
                mean=score.value,
                mean_low=low,
                mean_high=high,
                note=several(score.count, found.unit) + ("" if known else ", no interval"),
            )
        )
    note = f"the {found.statistic} with its interval ({100 * found.confidence:.4g} %)"
    return [Boxes(title="Scores with their intervals", rows=tuple(rows), note=note)] if rows else []


def _profiles(found: Scores, axes: Axes) -> Chart:
    levels = np.asarray(found.levels, dtype=float)
    lines = tuple(
        axes.line(score.name, Thinned(levels, np.asarray(score.profile, dtype=float)), "score")
        for score in found.parties
        if len(score.profile) == len(levels)
    )
    return Chart(id="profiles", title="Performance profiles", lines=lines, note=told.profile_axis(found), unit="share")


def _table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, states: Sequence[str] = ()
) -> list[Table]:
    marks = states or [""] * len(rows)
    shown = tuple(Row(cells=tuple(row), state=state) for row, state in zip(rows, marks, strict=True))
    return [Table(title=title, columns=tuple(head), rows=shown)] if shown else []
