"""The page of a training run: its loop, its findings, and every curve that it logged."""

from __future__ import annotations

import shlex

from weaklink.base.evidence.run import Run
from weaklink.judge.diagnosis.checklists_training import after_training, during_training
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show import wording
from weaklink.show.page.blocks import Page, Prose, Row, Section, Table
from weaklink.show.page.coverage import checklist, context, coverage
from weaklink.show.page.curves import Budget, Curves, curves
from weaklink.show.page.distributions import distributions
from weaklink.show.page.findings import findings, headline
from weaklink.show.page.loop import links
from weaklink.show.text import several, step

SHOWN_SETTINGS = ("algorithm", "environment", "seed")


def run_page(
    run: Run,
    diagnosis: Diagnosis,
    *,
    id: str = "run",
    command: str = "diagnose",
    budget: Budget | None = None,
    symptom: Symptom | None = None,
    growing: bool = False,
) -> Page:
    """A run and what is wrong with it.

    Args:
        run: what was logged.
        diagnosis: what is wrong with it.
        id: the name of the page, the same whenever it is made anew.
        command: the command that it comes from.
        budget: how many pages share the document.
        symptom: what the user sees, to walk through its rules.
        growing: whether the run is still being written.
    """
    drawn = curves(run, diagnosis, budget)
    spread = distributions(run, drawn.axes, drawn.points)
    sections = [
        *([_symptom(symptom, diagnosis)] if symptom is not None else []),
        *_curves(drawn),
        *([spread] if spread else []),
        *([] if budget is not None and budget.brief else _checklists(run, diagnosis, growing=growing)),
        coverage(diagnosis, run),
        *([made] if (made := context(run.config, run.context)) else []),
    ]
    return Page(
        id=id,
        title=run.name or diagnosis.target,
        command=command,
        verdict=diagnosis.verdict.value,
        headline=headline(diagnosis, wording.reason(diagnosis, run)),
        facts=_facts(run, diagnosis),
        loop=links(diagnosis),
        findings=findings(diagnosis, run, drawn.names),
        sections=tuple(sections),
        advice=tuple(line.lstrip("0123456789. ") for line in diagnosis.advice),
        axes=drawn.axes.found,
        growing=growing,
    )


def _checklists(run: Run, diagnosis: Diagnosis, *, growing: bool) -> list[Section]:
    """What to know while it runs, and once it has ended."""
    environment = shlex.quote(str(run.config.values.get("environment", ""))) if "environment" in run.config else "ENV"
    asked = {"During training": during_training(run, diagnosis)}
    if not growing:
        asked["After training"] = after_training(run, diagnosis, environment)
    made = (
        checklist(title, items, f"checklist-{title.split()[0].lower()}", folded=True) for title, items in asked.items()
    )
    return [section for section in made if section is not None]


def _facts(run: Run, diagnosis: Diagnosis) -> tuple[tuple[str, str], ...]:
    settings = ((name, str(run.config.values.get(name, ""))) for name in SHOWN_SETTINGS)
    facts = (
        ("from", diagnosis.target),
        ("framework", diagnosis.framework),
        ("steps", step(diagnosis.steps) if diagnosis.steps else ""),
        *settings,
        ("logged", f"{several(len(run.series), 'metric')}, {several(len(run.unknown), 'other key')}"),
        ("judged", f"{diagnosis.judged} of {several(diagnosis.asked, 'rule')}"),
    )
    return tuple((name, value) for name, value in facts if value)


def _curves(drawn: Curves) -> list[Section]:
    """The curves of the vocabulary, then those under keys that nobody knows."""
    sections = []
    if drawn.known:
        sections.append(Section(id="curves", title="Curves", blocks=drawn.known))
    if drawn.unknown or drawn.left_out:
        more = f"{several(drawn.left_out, 'more key')} not drawn." if drawn.left_out else ""
        sections.append(
            Section(
                id="other-curves",
                title="Other keys of the log",
                blocks=drawn.unknown,
                note=more,
                folded=bool(drawn.known),
            )
        )
    return sections


def _symptom(symptom: Symptom, diagnosis: Diagnosis) -> Section:
    """The rules that explain what the user sees, in the order to look in."""
    fired = {finding.code for finding in diagnosis.findings}
    rows = tuple(
        Row(cells=(code, name, became), state="broken" if code in fired else "", code=code)
        for code, name, became in wording.symptom_walk(symptom, diagnosis)
    )
    walk = Table(title="Rules that explain it", columns=("rule", "name", "what became of it"), rows=rows)
    advice = Prose(title="What to do", paragraphs=(symptom.advice,))
    return Section(id="symptom", title=f"You see: {symptom.name}", blocks=(walk, advice))
