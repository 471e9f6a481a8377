"""A climb for a person at a terminal: the answer, what is broken, and the ladder rung by rung."""

from __future__ import annotations

from weaklink.base.evidence.outcome import RIGHT, UNDECIDED, UNSEEN, WRONG, Outcome, Rung
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.ladder import answered, climbed, left_out, trained
from weaklink.show.layout import Page, Span
from weaklink.show.terminal import findings, heading

MARKS = {RIGHT: "ok", WRONG: "BROKEN", UNDECIDED: "unsure", UNSEEN: "not seen"}
STYLES = {RIGHT: "", WRONG: "error", UNDECIDED: "warn", UNSEEN: "dim"}


def report(diagnosis: Diagnosis, outcome: Outcome, page: Page) -> Page:
    """Writes the whole of it."""
    _answer(diagnosis, outcome, page)
    findings(diagnosis, None, page)
    _ladder(outcome, page)
    page.gap()
    page.text((wording.judged(diagnosis), "dim"))
    for line in (*left_out(outcome), *wording.unable(diagnosis), *diagnosis.notes):
        page.text((line, "dim"), hang=2)
    return page


def _answer(diagnosis: Diagnosis, outcome: Outcome, page: Page) -> None:
    verdict: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        page.text(verdict, ("  ", ""), (climbed(outcome), ""), hang=len(verdict[0]) + 2)
    else:
        page.line(verdict, ("  ", ""), (first.link.value, "strong"), ("  ", ""), (wording.title(first), "strong"))
    page.text((trained(outcome), "dim"))


def _ladder(outcome: Outcome, page: Page) -> None:
    if not outcome.rungs:
        return
    heading("The ladder", page, indent=0)
    rows = [_row(rung) for rung in outcome.rungs]
    page.table(("", "rung", "measured, and what is right", "seeds"), rows, stretch=2)


def _row(rung: Rung) -> list[Span]:
    held = sum(trial.holds is True for trial in rung.final)
    style = STYLES[rung.verdict]
    return [
        (MARKS[rung.verdict], style),
        (f"{rung.code} {rung.problem}", style),
        (answered(rung), style),
        (f"{held}/{len(rung.final)}", style),
    ]
