"""A comparison of evaluations for a person at a terminal: may they be compared, then how they compare."""

from __future__ import annotations

from weaklink.base.evidence.contrast import Contrast
from weaklink.base.evidence.scores import Scores
from weaklink.show import compare_wording as told
from weaklink.show import wording
from weaklink.show.layout import Page, Span
from weaklink.show.terminal import findings, heading
from weaklink.verbs.compare import Compared


def report(compared: Compared, page: Page) -> Page:
    """Writes the whole of it."""
    _answer(compared, page)
    findings(compared.diagnosis, None, page)
    if compared.contrast is not None:
        _protocol(compared.contrast, page)
    if compared.scores is not None:
        _scores(compared.scores, page, marked=not compared.comparable)
    elif compared.contrast is not None:
        page.gap()
        page.text(("The scores are not shown, because they may not be compared; --anyway shows them.", ""))
    _seen(compared, page)
    if compared.contrast is not None and compared.contrast.looks:
        heading("Looks at each split", page, indent=0)
        rows = [[(cell, "") for cell in row] for row in told.looks(compared.contrast)]
        page.table(told.LOOKS, rows, stretch=len(told.LOOKS) - 1)
    page.gap()
    for line in (*wording.unable(compared.diagnosis), *compared.diagnosis.notes):
        page.text((line, "dim"), hang=2)
    return page


def _answer(compared: Compared, page: Page) -> None:
    diagnosis = compared.diagnosis
    verdict: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        page.text(verdict, ("  ", ""), (told.reason(compared), ""), hang=len(verdict[0]) + 2)
    else:
        page.line(verdict, ("  ", ""), (first.link.value, "strong"), ("  ", ""), (wording.title(first), "strong"))
    page.text((" · ".join(told.facts(compared)), "dim"))


def _protocol(contrast: Contrast, page: Page) -> None:
    head, rows = told.protocol(contrast)
    heading("Protocol", page, indent=0)
    if not rows:
        page.text(("Nothing states how these were evaluated; weaklink.evaluation writes it down.", "dim"))
        return
    styled = [[(cell, "warn" if row[-1] else "") for cell in row] for row in rows]
    page.table(head, styled, stretch=1)


def _scores(found: Scores, page: Page, *, marked: bool) -> None:
    heading("Scores", page, indent=0)
    if marked:
        page.text((told.NOT_COMPARABLE, "error"))
    head, rows = told.scores(found)
    page.table(head, [[(cell, "") for cell in row] for row in rows], stretch=0)
    page.gap()
    for line in told.pairs(found, conclude=not marked):
        page.text((line, ""), hang=2)
    if told.worth_drawing(found):
        heading("Profile", page, indent=0)
        drawn = told.profiles(found, unicode=page.unicode)
        left = max(len(name) for name, _ in drawn)
        for name, line in drawn:
            page.line((f"{name.ljust(left)}  ", ""), (line, "curve"))
        page.text((told.profile_axis(found), "dim"))


def _seen(compared: Compared, page: Page) -> None:
    overlap = compared.overlap
    if overlap is None or not overlap.seen:
        return
    heading("Items met in the training data", page, indent=0)
    rows = [[(cell, "") for cell in row] for row in told.seen(overlap)]
    page.table(told.SEEN, rows, stretch=len(told.SEEN) - 1)
