"""The page of an experiment: the answer, the arms side by side, and every seed."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.critic import CriticFit
from weaklink.show import experiment_wording as told
from weaklink.show.page.against import box
from weaklink.show.page.blocks import Block, Box, Boxes, Chart, Page, Prose, Row, Section, Table
from weaklink.show.page.thinning import Axes, Thinned
from weaklink.show.text import several
from weaklink.verbs.confirm.experiment import Answer, Arm

FACTS = ("target", "experiment", "seeds")
STATES = {"there": "broken", "gone": "clean", "cannot tell": "unknown", "failed": "unknown"}


def experiment_page(answer: Answer, *, id: str = "confirm") -> Page:
    """An experiment that was carried out."""
    title = f"{answer.experiment.code} {answer.experiment.name}"
    paragraphs = tuple(line for line in (answer.says, answer.means, answer.decides, *answer.notes) if line)
    design = tuple(Row(cells=row) for row in told.design(answer))
    blocks: list[Block] = [Prose(title=answer.verdict.value, paragraphs=paragraphs)]
    blocks.append(Table(title="The experiment", columns=("", ""), rows=design))
    return Page(
        id=id,
        title=title,
        command="confirm",
        verdict=told.SHADES[answer.verdict],
        headline=f"{answer.verdict.value}: {title}",
        facts=tuple(zip((*FACTS, *("",) * 9), told.facts(answer), strict=False)),
        sections=(
            Section(id="answer", title="The answer", blocks=tuple(blocks)),
            Section(id="arms", title="The arms", blocks=(*_boxes(answer), *_tables(answer))),
        ),
    )


def _boxes(answer: Answer) -> list[Boxes]:
    made = []
    for one in answer.differences:
        rows = tuple(_box(arm, one.metric) for arm in answer.arms if len(arm.of(one.metric)))
        made.append(Boxes(title=one.metric, rows=rows, note="The mean over seeds with its interval (95 %)."))
    return made


def _box(arm: Arm, metric: str) -> Box:
    values = arm.of(metric)
    return box(arm.name, values, several(len(values), "seed"))


def _tables(answer: Answer) -> list[Table]:
    rows = [Row(cells=row, state=STATES.get(row[2], "")) for row in told.seeds(answer)]
    seeds = Table(title="Seed by seed", columns=told.SEEDS_HEAD, rows=tuple(rows), numeric=(1, 4, 5))
    if not answer.differences:
        return [seeds]
    compared = tuple(Row(cells=row) for row in told.differences(answer))
    return [Table(title="Side by side", columns=told.DIFFERENCES_HEAD, rows=compared, numeric=(1, 2, 3, 4)), seeds]


def critic_page(fit: CriticFit, name: str, *, id: str = "fit-critic") -> Page:
    """A critic that was fitted alone."""
    cannot, word, says, means = told.fit_answer(fit)
    axes = Axes()
    rows = tuple(Row(cells=row) for row in told.fit_rows(fit))
    lines = tuple(
        axes.line(label, _thinned(course), "looks", dashed=dashed)
        for label, course, dashed in (("the critic alone", fit.own, False), ("a fresh network", fit.fresh, True))
        if len(course) > 1
    )
    blocks: list[Block] = [Prose(title=word, paragraphs=(says, means, *fit.notes))]
    if lines:
        blocks.append(Chart(id="explained", title="Explained variance", lines=lines, unit="share", link="value"))
    blocks.append(Table(title="What explains the returns", columns=told.FIT_HEAD, rows=rows, numeric=(1,)))
    return Page(
        id=id,
        title=name,
        command="fit-critic",
        verdict=told.FIT_SHADES[cannot],
        headline=f"the critic alone: {word}",
        facts=tuple(("", fact) for fact in told.fit_facts(fit)),
        sections=(Section(id="answer", title="The critic alone", blocks=tuple(blocks)),),
        axes=axes.found,
    )


def _thinned(course: tuple[float, ...]) -> Thinned:
    values = np.maximum(np.array(course), -1.0)
    return Thinned(np.arange(len(values), dtype=float), values, values, values)
