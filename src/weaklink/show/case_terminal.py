"""A case for a person at a terminal: the answer, its proof, what to do, the next experiment, and the checklists."""

from __future__ import annotations

from weaklink.show import case_wording, wording
from weaklink.show.layout import Page, Span
from weaklink.show.survey_terminal import checklist_lines
from weaklink.show.terminal import findings, heading
from weaklink.verbs.debug.case import ASKS, Case, StageResult

STYLES = {"clean": "", "broken": "error", "failed": "error", "skipped": "dim", "unclear": "warn"}
WIDEST_STAGE = 9


def report(case: Case, page: Page, files: tuple[str, ...] = ()) -> Page:
    """Writes the whole of it; `files` are what a person may open next."""
    _answer(case, page)
    heading("Stages", page, indent=0)
    for stage in case.stages:
        stage_line(stage, page)
    for name in case_wording.not_reached(case):
        page.line((f"  {name:<{WIDEST_STAGE}}  ", "dim"), ("not reached", "dim"))
    findings(case.diagnosis, case.run, page)
    _next(case, page)
    for title, items in case.checklists.items():
        checklist_lines(items, page, title=f"{title[:1].upper()}{title[1:]}")
    _not_judged(case, page, files)
    return page


def stage_line(stage: StageResult, page: Page) -> None:
    """What became of one stage."""
    style = STYLES[stage.state]
    page.text(
        (f"{stage.stage:<{WIDEST_STAGE}}  ", "strong"),
        (f"{case_wording.STATES[stage.state]:<7}  ", style),
        (case_wording.line(stage), "dim" if stage.state == "skipped" else ""),
        indent=2,
        hang=WIDEST_STAGE + 11,
    )


def asked(stage: str) -> str:
    """What a stage asks, for a line of progress."""
    return f"{stage}: {ASKS[stage]}"


def _answer(case: Case, page: Page) -> None:
    verdict: Span = (case.verdict.value.upper(), case.verdict.value)
    first = case.first_finding
    if first is None or first.link is None:
        page.text(verdict, ("  ", ""), (case.why, ""), hang=len(verdict[0]) + 2)
    else:
        told = f"  told by {case.stage_of_break}" if case.stage_of_break else ""
        page.line(
            verdict,
            ("  ", ""),
            (first.link.value, "strong"),
            ("  ", ""),
            (wording.title(first), "strong"),
            (told, "dim"),
        )
    page.text((case_wording.facts(case), "dim"))


def _next(case: Case, page: Page) -> None:
    step = case_wording.next_step(case)
    if not step:
        return
    heading("Next", page, indent=0)
    page.text((step, ""), indent=2)
    for stage in case.stages:
        for note in stage.notes:
            page.text((note, "dim"), indent=2, hang=3)


def _not_judged(case: Case, page: Page, files: tuple[str, ...]) -> None:
    page.gap()
    page.text((wording.judged(case.diagnosis), "dim"))
    for line in (*case_wording.not_judged(case), *wording.unable(case.diagnosis), *case.diagnosis.notes):
        page.text((line, "dim"), hang=2)
    for file in files:
        page.text((file, ""))
