"""A critic that was fitted alone: how much of the returns it explains, beside what else could."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.critic import CriticFit
from weaklink.show.document import Block, Chart, Page, Prose, Section, Table, TableRow
from weaklink.show.subjects.experiment import format_three_digits
from weaklink.show.text import count_noun
from weaklink.show.thinning import PageAxes, ThinnedSeries
from weaklink.verbs.confirm.critic import explain_fit, format_share, judge_fit

COMMAND = "fit-critic"
ANSWERS = {True: ("cannot fit", "broken"), False: ("sound", "healthy"), None: ("cannot tell", "unclear")}
"""The word for whether it cannot fit, and the verdict that it is coloured as."""

LOWEST = -1.0
"""An explained variance below this is drawn as this: the critic then is worse than a constant, whatever the number."""


def build(fit: CriticFit, *, name: str, id: str = COMMAND) -> Page:
    """A critic that was fitted alone."""
    cannot, says = judge_fit(fit)
    word, verdict = ANSWERS[cannot]
    axes = PageAxes()
    lines = tuple(
        axes.line(label, _thin(course), "looks", dashed=dashed)
        for label, course, dashed in (("the critic alone", fit.own, False), ("a fresh network", fit.fresh, True))
        if len(course) > 1
    )
    rows = tuple(TableRow(cells=row) for row in _explain_returns(fit))
    columns = ("what explains the returns", "share")
    blocks: list[Block] = [
        Prose(title="", paragraphs=(says,)),
        Prose(title="What it means", paragraphs=(explain_fit(fit, cannot),)),
        Table(title="What explains the returns", columns=columns, rows=rows, numeric=(1,)),
    ]
    if lines:
        blocks.append(Chart(id="explained", title="Explained variance", lines=lines, unit="share", link="value"))
    if fit.notes:
        blocks.append(Prose(title="Remarks", paragraphs=fit.notes))
    return Page(
        id=id,
        title=name,
        command=COMMAND,
        verdict=verdict,
        word=word,
        headline=f"{word}: the critic alone of {name}",
        facts=tuple(("", fact) for fact in _list_facts(fit)),
        sections=(Section(id="answer", title="The critic alone", blocks=tuple(blocks)),),
        axes=axes.found,
    )


def record(fit: CriticFit, *, name: str) -> dict[str, Any]:
    """The fit of a critic under the keys of the contract."""
    cannot, says = judge_fit(fit)
    word, _ = ANSWERS[cannot]
    answer = {"target": name, "verdict": word, "cannot_fit": cannot, "says": says, "means": explain_fit(fit, cannot)}
    return {**answer, "after": fit.after, "reachable": fit.reachable, **msgspec.to_builtins(fit)}


def _list_facts(fit: CriticFit) -> list[str]:
    """What was fitted."""
    return [
        f"{fit.rows:,} rows of {count_noun(fit.episodes, 'episode')}",
        f"after {fit.trained:,} steps of training" if fit.trained else "before any training",
        f"returns {format_three_digits(fit.mean)} +- {format_three_digits(fit.spread)}",
        f"gamma {fit.gamma:g}",
        f"{fit.seconds:.0f} s",
    ]


def _explain_returns(fit: CriticFit) -> list[tuple[str, str]]:
    """What explains how much of the returns, the critic first."""
    rows = [
        ("the critic as it is", fit.before),
        (f"the critic alone, after {fit.updates} updates", fit.after),
        ("a fresh network of the same shape", max(fit.fresh, default=None)),
        ("a line through the observations", fit.linear),
        ("a table of the observations", fit.table),
        ("the critic of a line through its own observations", max(fit.taught, default=None)),
    ]
    return [*((name, format_share(value)) for name, value in rows if value is not None), ("a constant", "0%")]


def _thin(course: tuple[float, ...]) -> ThinnedSeries:
    values = np.maximum(np.array(course), LOWEST)
    return ThinnedSeries(np.arange(len(values), dtype=float), values)
