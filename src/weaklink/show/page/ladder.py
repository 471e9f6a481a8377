"""The page of a trainer on the ladder: each rung with what was measured and what is right."""

from __future__ import annotations

from weaklink.base.evidence.outcome import RIGHT, UNDECIDED, UNSEEN, WRONG, Outcome, Rung, Trial
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.ladder import answered, climbed, left_out, trained
from weaklink.show.page.blocks import Block, Page, Prose, Row, Section, Table
from weaklink.show.page.coverage import coverage
from weaklink.show.page.findings import findings, headline
from weaklink.show.page.loop import links
from weaklink.show.text import number, step

STATES = {RIGHT: "clean", WRONG: "broken", UNDECIDED: "unknown", UNSEEN: "unknown"}
MEASURED = ("seed", "steps", "what", "where", "measured", "right", "a right trainer's lies in", "holds")
MOST_MEASURES = 200


def ladder_page(outcome: Outcome, diagnosis: Diagnosis, *, id: str = "trainer") -> Page:
    """A climb, judged."""
    return Page(
        id=id,
        title=outcome.trainer or diagnosis.target,
        command="probe",
        verdict=diagnosis.verdict.value,
        headline=headline(diagnosis, climbed(outcome)),
        facts=(("trained", trained(outcome)),),
        loop=links(diagnosis),
        findings=findings(diagnosis),
        sections=(*climb(outcome), coverage(diagnosis)),
        advice=diagnosis.advice,
    )


def climb(outcome: Outcome) -> list[Section]:
    """The ladder as a table, then the measures of each rung."""
    sections = []
    if outcome.rungs:
        sections.append(Section(id="ladder", title="The ladder", blocks=(_rungs(outcome),)))
        details = tuple(_measures(rung) for rung in outcome.rungs if any(trial.measures for trial in rung.trials))
        if details:
            sections.append(Section(id="measures", title="Measured, and what is right", blocks=details, folded=True))
    remarks = tuple(left_out(outcome))
    settings = tuple(Row(cells=(name, value)) for name, value in outcome.settings.items())
    blocks: list[Block] = []
    if remarks:
        blocks.append(Prose(title="Not climbed", paragraphs=remarks))
    if settings:
        blocks.append(Table(title="Trained with", columns=("name", "value"), rows=settings))
    if blocks:
        sections.append(Section(id="climb", title="How it was climbed", blocks=tuple(blocks), folded=True))
    return sections


def _rungs(outcome: Outcome) -> Table:
    rows = []
    for rung in outcome.rungs:
        held = sum(trial.holds is True for trial in rung.final)
        cells = (
            f"{rung.code} {rung.name}",
            rung.environment,
            rung.verdict,
            answered(rung),
            f"{held}/{len(rung.final)}",
        )
        rows.append(Row(cells=cells, state=STATES[rung.verdict]))
    columns = ("rung", "environment", "verdict", "measured, and what is right", "seeds")
    return Table(title="Rungs", columns=columns, rows=tuple(rows), numeric=(4,))


def _measures(rung: Rung) -> Table:
    rows = [row for trial in rung.trials for row in _trial(trial)]
    more = f"{len(rows) - MOST_MEASURES} more not shown" if len(rows) > MOST_MEASURES else ""
    title = f"{rung.code} {rung.name}, {rung.environment}"
    shown = tuple(rows[:MOST_MEASURES])
    return Table(title=title, columns=MEASURED, rows=shown, note=more, numeric=(0, 1, 4, 5))


def _trial(trial: Trial) -> list[Row]:
    return [
        Row(
            cells=(
                str(trial.seed),
                step(trial.steps),
                one.what,
                one.where,
                number(one.measured),
                number(one.right),
                f"{number(one.low)} to {number(one.high)}",
                "yes" if one.holds else "no",
            ),
            state="" if one.holds else "broken",
        )
        for one in trial.measures
    ]
