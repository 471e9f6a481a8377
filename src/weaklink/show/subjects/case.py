"""A case: the answer, the stages, and all that each of them has seen."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.show.document import (
    HTML,
    SHORT,
    TERMINAL,
    TEXT,
    WHOLE,
    Page,
    Prose,
    Section,
    ShownFinding,
    Table,
    TableRow,
)
from weaklink.show.layout import TerminalSheet
from weaklink.show.subjects import minimal, run
from weaklink.show.subjects.coverage import show_checklist, show_context, show_coverage
from weaklink.show.subjects.judged import build_judged, record_diagnosis
from weaklink.show.subjects.preflight import show_survey
from weaklink.show.subjects.probe import show_ladder
from weaklink.show.subjects.trained import draw_trained
from weaklink.show.text import count_noun
from weaklink.verbs.confirm._registry import find_provable_rule
from weaklink.verbs.debug.case import ASKS, STAGES, Case, StageResult

COMMAND = "debug"
STATES = {
    "clean": ("ok", "clean", ""),
    "broken": ("BROKEN", "broken", "error"),
    "failed": ("FAILED", "broken", "error"),
    "skipped": ("skipped", "", "dim"),
    "unclear": ("unsure", "unknown", "warn"),
}
"""The word for a stage's state, the state of its row, and its style on a terminal."""

FROM_RUN = ("curves", "other-curves", "distributions")
"""The sections of a run's page that stand before what the other stages have seen."""

CLOSED = {"seen": "preflight", "compared": "preflight", "ladder": "probe"}
"""What a page shows of a stage only when it is asked for, unless that stage found the break."""

WIDEST_STAGE = 9
MOST_BLIND = 6


def build(case: Case, *, files: Sequence[str] = (), id: str = "case") -> Page:
    """A project, debugged; `files` says what a person may open next."""
    of_run = None if case.run is None else run.build(case.diagnosis, case.run)
    sections = _show_stages(case)
    if of_run is not None:
        sections += [section for section in of_run.sections if section.id in FROM_RUN]
    sections += _show_evidence(case)
    for title, items in case.checklists.items():
        checked = show_checklist(_capitalise(title), items, section=f"checklist-{title.partition(' ')[0]}")
        sections += [msgspec.structs.replace(section, closed=True) for section in checked]
    if case.run is not None:
        sections += show_context(case.run.config, case.run.context)
    coverage = show_coverage(case.diagnosis, case.run, remarks=_explain_gaps(case))
    page = build_judged(
        case.diagnosis,
        id=id,
        title=case.target.name,
        command=COMMAND,
        reason=case.why,
        facts=[
            ("target", name_target(case)),
            ("stage", case.stage_of_break and f"found by {case.stage_of_break}"),
            ("took", f"{case.seconds:.0f} s"),
            ("folder", f"kept in {case.folder}"),
        ],
        sections=sections,
        run=case.run,
        charts=() if of_run is None else {proof.chart for one in of_run.findings for proof in one.proofs},
        axes=None if of_run is None else of_run.axes,
        coverage=coverage,
    )
    findings = _name_experiment(page.findings, case)
    written = Section(id="files", title="", note=" ".join(files), blocks=(), folded=True, where=(TERMINAL,))
    notes = (note.lstrip("0123456789. ") for stage in case.stages for note in stage.notes)
    return msgspec.structs.replace(
        page,
        findings=findings,
        advice=(*page.advice, *notes),
        sections=(*page.sections, written),
        next=find_next_step(case),
    )


def record(case: Case, *, files: Sequence[str] = ()) -> dict[str, Any]:
    """A case under the keys of the contract: those of a diagnosis first; the files are named in none of them."""
    return {
        **record_diagnosis(case.diagnosis),
        "target": name_target(case),
        "why": case.why,
        "stage_of_break": case.stage_of_break or None,
        "stages": [_record_stage(stage) for stage in case.stages],
        "checklists": {title: msgspec.to_builtins(items) for title, items in case.checklists.items()},
        "next": find_next_step(case) or None,
        "folder": str(case.folder),
        "options": dict(case.options),
        "seconds": case.seconds,
        "stopped": case.stopped,
    }


def _record_stage(stage: StageResult) -> dict[str, Any]:
    broke = None if stage.diagnosis is None else stage.diagnosis.first_break
    return {
        "stage": stage.stage,
        "state": stage.state,
        "why": stage.why,
        "seconds": stage.seconds,
        "resumed": stage.resumed,
        "first_break": None if broke is None else {"link": broke.link.value, "code": broke.code},
        "facts": dict(stage.facts),
        "output": stage.output or None,
    }


def write_stage(stage: StageResult, sheet: TerminalSheet) -> None:
    """What became of one stage, in a line, as soon as it has ended."""
    word, _, style = STATES[stage.state]
    sheet.text(
        (f"{stage.stage:<{WIDEST_STAGE}}  ", "strong"),
        (f"{word:<7}  ", style),
        (_describe_stage(stage), "dim" if stage.state == "skipped" else ""),
        indent=2,
        hang=WIDEST_STAGE + 11,
    )


def name_target(case: Case) -> str:
    """What was debugged."""
    return case.target.word or f"--algo {case.target.algorithm} --env {case.target.environment}"


def find_next_step(case: Case) -> str:
    """The next experiment: one that weaklink carries out itself where it knows one, else what the rule says."""
    finding = case.first_finding
    if finding is not None and has_experiment(finding.code):
        return f"weaklink confirm {finding.code} {shlex.quote(str(case.folder))}"
    return case.next_command


def has_experiment(code: str) -> bool:
    """Whether `weaklink confirm` knows how to prove a rule's findings."""
    try:
        find_provable_rule(code)
    except UsageError:
        return False
    return True


def _capitalise(title: str) -> str:
    return f"{title[:1].upper()}{title[1:]}"


def _describe_stage(stage: StageResult) -> str:
    """A stage's result with how long it took; one that was not repeated says so."""
    spent = "kept from before" if stage.resumed else f"{stage.seconds:.0f} s" if stage.seconds >= 1.0 else ""
    return f"{stage.why} ({spent})" if spent else stage.why


def _skip_stages(case: Case) -> tuple[str, ...]:
    """The stages that it did not come to."""
    reached = {stage.stage for stage in case.stages}
    return tuple(stage for stage in STAGES if stage not in reached)


def _explain_gaps(case: Case) -> list[str]:
    """What was not judged, and why."""
    codes, later = list(case.diagnosis.blind), _skip_stages(case)
    told = ["It was stopped. The same command goes on where it was."] if case.stopped else []
    if later and not case.stopped:
        told.append(f"Not looked at: {', '.join(later)}. Mend this first, or add --all.")
    told += [f"{stage.stage} was left out: {stage.why}." for stage in case.stages if stage.state == "skipped"]
    if codes:
        more = f" and {len(codes) - MOST_BLIND} more" if len(codes) > MOST_BLIND else ""
        told.append(f"{count_noun(len(codes), 'rule')} could not tell: {', '.join(codes[:MOST_BLIND])}{more}.")
    return told


def _name_experiment(shown: tuple[ShownFinding, ...], case: Case) -> tuple[ShownFinding, ...]:
    """The findings, the first break with the command that carries its experiment out."""
    step = find_next_step(case)
    if case.first_break is None or not step.startswith("weaklink "):
        return shown
    code = case.first_break.code
    return tuple(msgspec.structs.replace(one, command=step) if one.code == code else one for one in shown)


def _show_stages(case: Case) -> list[Section]:
    rows = []
    for stage in case.stages:
        word, state, _ = STATES[stage.state]
        rows.append(TableRow(cells=(stage.stage, ASKS[stage.stage], word, _describe_stage(stage)), state=state))
    rows += [TableRow(cells=(name, ASKS[name], "not reached", "")) for name in _skip_stages(case)]
    columns = ("stage", "asks", "state", "what was seen")
    table = Table(title="Stages", columns=columns, rows=tuple(rows), narrow=(0, 2, 3), listed=True)
    step = find_next_step(case)
    command = step if step.startswith("weaklink ") else ""
    then = (Prose(title="Next", paragraphs=() if command else (step,), code=command),) if step else ()
    return [
        Section(id="stages", title="The procedure", blocks=(table,), leads=True, view=WHOLE),
        Section(id="walked", title="", note=_walk_stages(case), blocks=(), leads=True, folded=True, view=SHORT),
        Section(id="next", title="Next", blocks=then, where=TEXT, view=WHOLE),
    ]


def _walk_stages(case: Case) -> str:
    """Every stage and its state, in a line."""
    told = [f"{stage.stage} {STATES[stage.state][0]}" for stage in case.stages]
    return " · ".join([*told, *(f"{name} not reached" for name in _skip_stages(case))])


def _show_evidence(case: Case) -> list[Section]:
    """What the other stages have seen, for those who have room for it."""
    sections = []
    if case.preflight is not None:
        sections += show_survey(case.preflight.survey, None if case.run is None else draw_trained(case.run))
    if case.probed is not None:
        sections += show_ladder(case.probed.outcome)
    if case.minimal is not None:
        sections += minimal.show_procedure(case.minimal)
    closed = {section for section, stage in CLOSED.items() if stage != case.stage_of_break}
    return [msgspec.structs.replace(one, where=(HTML,), closed=one.id in closed) for one in sections]
