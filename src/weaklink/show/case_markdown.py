"""A case as Markdown, fit for the summary of a CI job, and kept in its folder."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.judge.diagnosis.checklists import Item
from weaklink.show import case_wording, wording
from weaklink.show.markdown import broken, listed, table_row
from weaklink.show.survey_markdown import MARKS, item_line
from weaklink.show.text import code, prose
from weaklink.verbs.debug.case import Case


def report(case: Case) -> str:
    """The answer, the stages, each break in full, the next experiment, and the checklists."""
    diagnosis = case.diagnosis
    first = case.first_finding
    answer = case.why if first is None or first.link is None else f"{first.link.value}, {wording.title(first)}"
    lines = [f"## {case.verdict.value.upper()}: {prose(answer)}", "", code(case_wording.called(case)), *_stages(case)]
    lines += [text for one in wording.breaks(diagnosis) for text in broken(one, diagnosis, case.run, 3)]
    known = (f"**{wording.title(one)}** {prose(one.message)}" for one in wording.worth_knowing(diagnosis))
    lines += listed("Worth knowing", known)
    lines += listed("Where to look next", map(prose, diagnosis.advice))
    step = case_wording.next_step(case)
    if step:
        lines += ["", "**Next**", "", code(step) if step.startswith("weaklink ") else prose(step)]
    for title, items in case.checklists.items():
        lines += _checklist(title, items)
    remarks = (*case_wording.not_judged(case), *wording.unable(diagnosis), *diagnosis.notes)
    lines += ["", wording.judged(diagnosis), *listed("Not judged", map(prose, remarks))]
    return "\n".join(lines) + "\n"


def _stages(case: Case) -> Iterable[str]:
    yield from ("", table_row(("stage", "state", "what was seen")), table_row(("---", "---", "---")))
    for stage in case.stages:
        yield table_row((stage.stage, case_wording.STATES[stage.state], prose(case_wording.line(stage))))
    for name in case_wording.not_reached(case):
        yield table_row((name, "not reached", ""))


def _checklist(title: str, items: Iterable[Item]) -> Iterable[str]:
    yield from ("", f"**{title[:1].upper()}{title[1:]}**", "")
    yield from (f"- [{MARKS[item.state]}] {item_line(item)}" for item in items)
