"""An experiment for a person at a terminal: the answer, what follows from it, then the numbers."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.critic import CriticFit
from weaklink.base.evidence.series import Series
from weaklink.show import experiment_wording as told
from weaklink.show.layout import Page
from weaklink.show.sparkline import sparkline
from weaklink.show.terminal import heading
from weaklink.verbs.confirm.critic import share
from weaklink.verbs.confirm.experiment import Answer

MOST_ROWS = 24
CURVE = 40


def report(answer: Answer, page: Page) -> Page:
    """Writes the whole of it."""
    word = answer.verdict.value.upper()
    title = f"{answer.experiment.code} {answer.experiment.name}"
    page.line((word, told.SHADES[answer.verdict]), ("  ", ""), (title, "strong"))
    page.text((" · ".join(told.facts(answer)), "dim"))
    page.gap()
    page.text((answer.says, ""), indent=2)
    for head, line in (("What it means", answer.means), ("What would decide", answer.decides)):
        if line:
            heading(head, page)
            page.text((line, ""), indent=4)
    heading("The experiment", page)
    for name, line in told.design(answer):
        page.text((f"{name}: ", "dim"), (line, ""), indent=4, hang=2)
    _tables(answer, page)
    page.gap()
    for note in answer.notes:
        page.text((note, "dim"), hang=2)
    return page


def _tables(answer: Answer, page: Page) -> None:
    if answer.differences:
        heading("Side by side", page, indent=0)
        page.table(told.DIFFERENCES_HEAD, [[(cell, "") for cell in row] for row in told.differences(answer)], stretch=0)
    rows = told.seeds(answer)
    if rows:
        heading("Seed by seed", page, indent=0)
        page.table(told.SEEDS_HEAD, [[(cell, "") for cell in row] for row in rows[:MOST_ROWS]], stretch=3)
    if len(rows) > MOST_ROWS:
        page.text((f"and {len(rows) - MOST_ROWS} more: --format json has them all", "dim"))


def fit_report(fit: CriticFit, name: str, page: Page) -> Page:
    """Writes what came of fitting a critic alone."""
    cannot, word, says, means = told.fit_answer(fit)
    page.line((word.upper(), told.FIT_SHADES[cannot]), ("  ", ""), ("the critic alone", "strong"), (f"  {name}", ""))
    page.text((" · ".join(told.fit_facts(fit)), "dim"))
    page.gap()
    page.text((says, ""), indent=2)
    heading("What it means", page)
    page.text((means, ""), indent=4)
    heading("What explains the returns", page, indent=0)
    page.table(told.FIT_HEAD, [[(cell, "") for cell in row] for row in told.fit_rows(fit)], stretch=0)
    for line, course in (("the critic alone", fit.own), ("a fresh network", fit.fresh)):
        _course(line, course, page)
    page.gap()
    for note in fit.notes:
        page.text((note, "dim"), hang=2)
    return page


def _course(name: str, course: tuple[float, ...], page: Page) -> None:
    if len(course) < 2:
        return
    bounded = np.maximum(course, -1.0)
    drawn = sparkline(Series.of(name, np.arange(len(course)), bounded), CURVE, unicode=page.unicode)
    if drawn is not None:
        first, last = (share(float(value)) for value in (bounded[0], bounded[-1]))
        page.line((f"  {name:<18}", ""), (f" {first} ", "dim"), (drawn.drawn, "curve"), (f" {last}", "dim"))
