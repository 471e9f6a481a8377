"""The page of a trainer beside a reference."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.comparison import Comparison
from weaklink.base.evidence.standing import Side, curve, standing
from weaklink.base.stats import bootstrap_interval, quantile
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import against_wording as told
from weaklink.show.page.blocks import Block, Box, Boxes, Chart, Line, Page, Prose, Row, Section, Table
from weaklink.show.page.coverage import coverage
from weaklink.show.page.findings import findings, headline
from weaklink.show.page.loop import links
from weaklink.show.page.thinning import Axes, Thinned
from weaklink.show.text import several

AXIS = "environment steps"


def against_page(comparison: Comparison, diagnosis: Diagnosis, *, id: str = "against") -> Page:
    """Both sides: their curves, their levels, and what each was given."""
    found, axes = standing(comparison), Axes()
    sides = ((comparison.trainer.name, found.trainer), (comparison.reference.name, found.reference))
    blocks: list[Block] = [*_curves(comparison, axes), *_boxes(sides, comparison.random)]
    columns = ("", comparison.trainer.name, comparison.reference.name)
    rows = tuple(Row(cells=row) for row in told.rows(comparison, found))
    blocks.append(Table(title="Both in numbers", columns=columns, rows=rows, numeric=(1, 2)))
    between = tuple(told.between(comparison, found))
    if between:
        blocks.append(Prose(title="Between them", paragraphs=between))
    settings = Prose(title="Settings", paragraphs=tuple(told.settings(comparison)))
    return Page(
        id=id,
        title=f"{comparison.trainer.name} against {comparison.reference.name}",
        command="probe",
        verdict=diagnosis.verdict.value,
        headline=headline(diagnosis, told.reason(diagnosis, comparison, found)),
        facts=tuple(zip(("compared", "environment", "steps", "seeds", "time"), told.facts(comparison), strict=True)),
        loop=links(diagnosis),
        findings=findings(diagnosis),
        sections=(
            Section(id="sides", title="Side by side", blocks=tuple(blocks)),
            Section(id="settings", title="What each was given", blocks=(settings,), folded=True),
            coverage(diagnosis),
        ),
        advice=diagnosis.advice,
        axes=axes.found,
    )


def _curves(comparison: Comparison, axes: Axes) -> list[Chart]:
    lines: list[Line] = []
    for side, dashed in ((comparison.trainer, False), (comparison.reference, True)):
        drawn = curve(side, comparison.steps)
        if drawn.steps:
            means, lows, highs = (
                np.array([getattr(level, part) for level in drawn.levels]) for part in ("mean", "low", "high")
            )
            short = Thinned(np.array(drawn.steps, dtype=float), means, lows, highs)
            lines.append(axes.line(side.name, short, AXIS, dashed=dashed))
    if not lines:
        return []
    note = "the mean over seeds with its interval (95 %, by resampling the seeds)"
    return [
        Chart(id="returns", title="Return in training", lines=tuple(lines), note=note, unit="reward", link="reward")
    ]


def _boxes(sides: tuple[tuple[str, Side], ...], random: tuple[float, ...]) -> list[Boxes]:
    groups = [(name, side.seeds, "seed") for name, side in sides] + [("random play", random, "episode")]
    rows = tuple(box(name, np.array(values), several(len(values), unit)) for name, values, unit in groups if values)
    return [Boxes(title="Final returns", rows=rows, note="The mean with its interval (95 %).")] if rows else []


def box(label: str, values: np.ndarray, note: str = "") -> Box:
    """One group of numbers in short."""
    mean = bootstrap_interval(values, np.random.default_rng(0))
    low, quarter, middle, three_quarters, high = (quantile(values, share) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    return Box(
        label=label,
        low=low,
        quarter=quarter,
        middle=middle,
        three_quarters=three_quarters,
        high=high,
        mean=float(values.mean()),
        mean_low=mean.low,
        mean_high=mean.high,
        note=note,
    )
