"""The page of a case: the answer, the stages, and all that each of them has seen."""

from __future__ import annotations

import msgspec

from weaklink.show import case_wording
from weaklink.show.page.blocks import FindingShown, Page, Prose, Row, Section, Table
from weaklink.show.page.coverage import checklist, context, coverage
from weaklink.show.page.findings import findings, headline
from weaklink.show.page.ladder import climb
from weaklink.show.page.loop import links
from weaklink.show.page.minimal import minimal_sections
from weaklink.show.page.run import run_page
from weaklink.show.page.survey import seen
from weaklink.verbs.debug.case import ASKS, Case

COLOURS = {"clean": "clean", "broken": "broken", "failed": "broken", "unclear": "unknown"}
FROM_RUN = ("curves", "other-curves", "distributions")
"""The sections of a run's page that stand before what the other stages have seen."""


def case_page(case: Case, *, id: str = "case") -> Page:
    """A project, debugged."""
    of_run = None if case.run is None else run_page(case.run, case.diagnosis)
    sections = [_stages(case)]
    if of_run is not None:
        sections += [section for section in of_run.sections if section.id in FROM_RUN]
    if case.preflight is not None:
        sections += seen(case.preflight.survey)
    if case.probed is not None:
        sections += climb(case.probed.outcome)
    if case.minimal is not None:
        sections += minimal_sections(case.minimal)
    for title, items in case.checklists.items():
        made = checklist(f"{title[:1].upper()}{title[1:]}", items, f"checklist-{title.partition(' ')[0]}")
        sections += [made] if made is not None else []
    sections.append(coverage(case.diagnosis, case.run))
    config = case.run.config if case.run is not None else None
    made_of = None if config is None or case.run is None else context(config, case.run.context)
    sections += [made_of] if made_of is not None else []
    return Page(
        id=id,
        title=case.target.name,
        command="debug",
        verdict=case.verdict.value,
        headline=headline(case.diagnosis, case.why),
        facts=_facts(case),
        loop=links(case.diagnosis),
        findings=_with_experiment(of_run.findings if of_run is not None else findings(case.diagnosis), case),
        sections=tuple(sections),
        advice=(*case.diagnosis.advice, *(note.lstrip("0123456789. ") for one in case.stages for note in one.notes)),
        axes=of_run.axes if of_run is not None else {},
    )


def _with_experiment(shown: tuple[FindingShown, ...], case: Case) -> tuple[FindingShown, ...]:
    """The findings, the first break with the command that carries its experiment out."""
    step = case_wording.next_step(case)
    if case.first_break is None or not step.startswith("weaklink "):
        return shown
    code = case.first_break.code
    return tuple(msgspec.structs.replace(one, command=step) if one.code == code else one for one in shown)


def _facts(case: Case) -> tuple[tuple[str, str], ...]:
    facts = (
        ("target", case_wording.called(case)),
        ("told by", case.stage_of_break),
        ("took", f"{case.seconds:.0f} s"),
        ("kept in", str(case.folder)),
    )
    return tuple((name, value) for name, value in facts if value)


def _stages(case: Case) -> Section:
    rows = [
        Row(
            cells=(stage.stage, ASKS[stage.stage], case_wording.STATES[stage.state], case_wording.line(stage)),
            state=COLOURS.get(stage.state, ""),
        )
        for stage in case.stages
    ]
    rows += [Row(cells=(name, ASKS[name], "not reached", "")) for name in case_wording.not_reached(case)]
    table = Table(title="Stage by stage", columns=("stage", "asks", "state", "what was seen"), rows=tuple(rows))
    step = case_wording.next_step(case)
    command = step if step.startswith("weaklink ") else ""
    then = (Prose(title="Next", paragraphs=() if command else (step,), code=command),) if step else ()
    remarks = tuple(case_wording.not_judged(case))
    left = (Prose(title="Not judged", paragraphs=remarks),) if remarks else ()
    return Section(id="stages", title="The procedure", blocks=(table, *then, *left))
