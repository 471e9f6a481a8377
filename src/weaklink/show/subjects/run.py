"""A training run: its loop, its findings, and every curve that it logged."""

from __future__ import annotations

from typing import Any

from weaklink.base.evidence.run import Run
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show import wording
from weaklink.show.document import HTML, Page, Prose, Section, Table, TableRow
from weaklink.show.subjects.curves import PointBudget, RunCurves, draw_run
from weaklink.show.subjects.judged import build_judged, record_diagnosis
from weaklink.show.text import count_noun, format_step

COMMAND = "diagnose"
SHOWN_SETTINGS = ("algorithm", "environment", "seed")


def build(
    diagnosis: Diagnosis,
    run: Run | None = None,
    *,
    id: str = "run",
    command: str = COMMAND,
    budget: PointBudget | None = None,
    symptom: Symptom | None = None,
    growing: bool = False,
    paged: bool = True,
) -> Page:
    """A run and what is wrong with it.

    Args:
        diagnosis: what is wrong with it.
        run: what was logged; without it there are no curves.
        id: the name of the page, the same whenever it is made anew.
        command: the command that it comes from.
        budget: how many pages share the document.
        symptom: what the user sees, to walk through its rules.
        growing: whether the run is still being written.
        paged: whether a browser shows it; what only a page shows is not made for other renderers.
    """
    drawn = RunCurves() if run is None else draw_run(run, diagnosis, budget, proving_alone=not paged)
    sections = [] if symptom is None else [_show_symptom(symptom, diagnosis)]
    if run is not None:
        sections += _show_curves(drawn)
        if paged:
            from weaklink.show.subjects.run_page import show_page_only

            brief = budget is not None and budget.brief
            sections += show_page_only(run, diagnosis, drawn, brief=brief, growing=growing)
    return build_judged(
        diagnosis,
        id=id,
        title=(run.name if run is not None else "") or diagnosis.target,
        command=command,
        reason=wording.explain_verdict(diagnosis, run),
        facts=_list_facts(diagnosis, run),
        brief=3,
        sections=sections,
        run=run,
        charts=drawn.names,
        axes=drawn.axes.found,
        growing=growing,
    )


def record(
    diagnosis: Diagnosis, run: Run | None = None, *, symptom: Symptom | None = None, runs: int | None = None
) -> dict[str, Any]:
    """A diagnosis under the keys of the contract, which hold no curve of the run.

    Args:
        diagnosis: what is wrong with it.
        run: what was logged.
        symptom: what the user sees, to walk through its rules.
        runs: how many runs it is about, where it is about several taken together.
    """
    body = record_diagnosis(diagnosis)
    if symptom is not None:
        fired = {finding.code for finding in diagnosis.findings}
        walk = wording.walk_symptom(symptom, diagnosis)
        rules = {code: f"{name}, {became}" if code in fired else became for code, name, became in walk}
        body["symptom"] = {"name": symptom.name, "advice": symptom.advice, "rules": rules}
    if runs is not None:
        body["runs"] = runs
    return body


def _list_facts(diagnosis: Diagnosis, run: Run | None) -> list[tuple[str, str]]:
    """What was judged: target, framework and length; then its settings and how much of it could be judged."""
    steps = f"{format_step(diagnosis.steps)} steps" if diagnosis.steps else ""
    facts = [("from", diagnosis.target), ("framework", diagnosis.framework), ("length", steps)]
    if run is not None:
        facts += [(name, str(run.config.values.get(name, ""))) for name in SHOWN_SETTINGS]
        facts.append(
            ("logged", f"{count_noun(len(run.series), 'metric')}, {count_noun(len(run.unknown), 'other key')}")
        )
    return [*facts, ("judged", f"{diagnosis.judged} of {count_noun(diagnosis.asked, 'rule')}")]


def _show_curves(drawn: RunCurves) -> list[Section]:
    """The curves of the vocabulary, then those under keys that no dialect knows."""
    more = f"{count_noun(drawn.left_out, 'more key')} not drawn." if drawn.left_out else ""
    known = Section(id="curves", title="Curves", blocks=drawn.known, where=(HTML,))
    unknown = Section(
        id="other-curves",
        title="Other keys of the log",
        blocks=drawn.unknown,
        note=more,
        folded=bool(drawn.known),
        where=(HTML,),
    )
    return [section for section in (known, unknown) if section.blocks]


def _show_symptom(symptom: Symptom, diagnosis: Diagnosis) -> Section:
    """The rules that explain what the user sees, in the order to look in."""
    fired = {finding.code for finding in diagnosis.findings}
    rows = tuple(
        TableRow(cells=(f"{code} {name}", became), state="broken" if code in fired else "", code=code)
        for code, name, became in wording.walk_symptom(symptom, diagnosis)
    )
    walk = Table(title="", columns=("rule", "what became of it"), rows=rows, listed=True)
    return Section(
        id="symptom",
        title=f"You see: {symptom.name}",
        blocks=(walk, Prose(title="", paragraphs=(symptom.advice,))),
        leads=True,
    )
