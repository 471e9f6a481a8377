"""An experiment that was carried out: the answer, the arms side by side, and every seed."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from weaklink.base.proving import FALLS, RISES
from weaklink.show.document import HTML, Block, Boxes, Page, Prose, Section, Table, TableRow
from weaklink.show.subjects.against import make_box
from weaklink.show.text import count_noun, format_number
from weaklink.verbs.confirm.experiment import Answer, ArmDifference, ExperimentArm, ExperimentVerdict, SeedResult

COMMAND = "confirm"
SEEDS_HEAD = ("arm", "seed", "finding", "measured", "steps", "seconds")
DIFFERENCES_HEAD = ("metric", "configured", "changed", "difference (95 %)", "by chance")
WAYS = {FALLS: "falls", RISES: "rises"}
SHADES = {
    ExperimentVerdict.CONFIRMED: "broken",
    ExperimentVerdict.REFUTED: "healthy",
    ExperimentVerdict.UNDECIDED: "unclear",
}
"""The verdict of a diagnosis that an answer is coloured as."""

FIRED = {True: "there", False: "gone", None: "cannot tell"}
STATES = {"there": "broken", "gone": "clean", "cannot tell": "unknown", "failed": "unknown"}
MOST_SEEDS = 24


def build(answer: Answer, *, id: str = COMMAND) -> Page:
    """An experiment that was carried out."""
    design, title = answer.experiment, f"{answer.experiment.code} {answer.experiment.name}"
    words = (
        ("Question", design.question),
        ("Changed", design.changed),
        ("Measured", design.measured),
        ("Confirmed would mean", design.if_confirmed),
        ("Refuted would mean", design.if_refuted),
    )
    follows = (("", answer.says), ("What it means", answer.means), ("What would decide", answer.decides))
    blocks: list[Block] = [Prose(title=head, paragraphs=(line,)) for head, line in follows if line]
    rows = tuple(TableRow(cells=row) for row in words)
    blocks.append(Table(title="The experiment", columns=("", ""), rows=rows, listed=True))
    notes = (Prose(title="Remarks", paragraphs=answer.notes),) if answer.notes else ()
    sections = (
        Section(id="answer", title="The answer", blocks=tuple(blocks)),
        Section(id="arms", title="The arms", blocks=(*_draw_arms(answer), *_compare_arms(answer))),
        Section(id="remarks", title="Remarks", blocks=notes, folded=True),
    )
    return Page(
        id=id,
        title=title,
        command=COMMAND,
        verdict=SHADES[answer.verdict],
        word=answer.verdict.value,
        headline=f"{answer.verdict.value}: {title}",
        facts=_list_facts(answer),
        sections=tuple(section for section in sections if section.blocks),
    )


def record(answer: Answer) -> dict[str, Any]:
    """An answer under the keys of the contract, what it promises first."""
    body: dict[str, Any] = msgspec.to_builtins(answer)
    named = {"code": answer.experiment.code, "name": answer.experiment.name}
    promised = {name: body.pop(name) for name in ("verdict", "says", "means", "decides")}
    return {"target": body.pop("target"), **named, **promised, "experiment": body.pop("experiment"), **body}


def _list_facts(answer: Answer) -> tuple[tuple[str, str], ...]:
    """What was done: target, kind, seeds, steps and cost."""
    seeds = len({one.seed for arm in answer.arms for one in arm.tried})
    facts = (
        ("target", answer.target),
        ("experiment", answer.experiment.kind),
        ("seeds", count_noun(seeds, "seed")),
        ("length", f"{answer.steps:,} steps" if answer.steps else ""),
        ("took", f"{answer.seconds:.0f} s"),
        ("", "stopped" if answer.stopped else ""),
    )
    return tuple((name, value) for name, value in facts if value)


def _draw_arms(answer: Answer) -> list[Boxes]:
    note = "the mean over seeds with its interval (95 %)"
    return [
        Boxes(
            title=one.metric,
            rows=tuple(
                make_box(arm.name, values, count_noun(len(values), "seed"))
                for arm in answer.arms
                if len(values := arm.of(one.metric))
            ),
            note=note,
            where=(HTML,),
        )
        for one in answer.differences
    ]


def _compare_arms(answer: Answer) -> list[Table]:
    metric = answer.differences[0].metric if answer.differences else ""
    tried = tuple(_show_seed(arm, one, metric) for arm in answer.arms for one in arm.tried)
    seeds = Table(title="Seed by seed", columns=SEEDS_HEAD, rows=tried, numeric=(1, 4, 5), short=MOST_SEEDS)
    compared = tuple(TableRow(cells=_compare_metric(one)) for one in answer.differences)
    tables = (Table(title="Side by side", columns=DIFFERENCES_HEAD, rows=compared, numeric=(1, 2, 3, 4)), seeds)
    return [table for table in tables if table.rows]


def _show_seed(arm: ExperimentArm, one: SeedResult, metric: str) -> TableRow:
    found = "failed" if one.failure else FIRED[one.fired]
    name = metric if metric in one.values else next(iter(one.values), "")
    measured = f"{name} {format_three_digits(one.values[name])}" if name else one.told if one.fired is None else ""
    steps = f"{one.steps:,}" if one.steps else ""
    cells = (arm.name, str(one.seed), found, one.failure or measured, steps, f"{one.seconds:.1f}")
    return TableRow(cells=cells, state=STATES[found])


def _compare_metric(one: ArmDifference) -> tuple[str, ...]:
    return (
        one.metric,
        format_three_digits(one.configured),
        format_three_digits(one.changed),
        f"{format_three_digits(one.difference)} ({format_three_digits(one.low)} to {format_three_digits(one.high)})",
        f"{one.chance:.1%}{', ' if one.beyond_chance else ', not '}{WAYS.get(one.then, 'moves')}",
    )


def format_three_digits(value: float) -> str:
    """A number in three digits."""
    return format_number(float(f"{value:.3g}")) if math.isfinite(value) else format_number(value)
