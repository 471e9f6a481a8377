"""An experiment as Markdown, fit for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weaklink.base.evidence.critic import CriticFit
from weaklink.show import experiment_wording as told
from weaklink.show.markdown import listed, table_row
from weaklink.show.text import prose
from weaklink.verbs.confirm.experiment import Answer


def report(answer: Answer) -> str:
    """The answer, the experiment, and its numbers as tables."""
    experiment = answer.experiment
    lines = [
        f"## {answer.verdict.value.upper()}: {experiment.code} {experiment.name}",
        "",
        prose(", ".join(told.facts(answer))),
        "",
        prose(answer.says),
    ]
    follows = (("What it means", answer.means), ("What would decide", answer.decides))
    for head, line in follows:
        if line:
            lines += ["", f"**{head}**", "", prose(line)]
    lines += listed("The experiment", (f"{name}: {prose(line)}" for name, line in told.design(answer)))
    if answer.differences:
        lines += ["", "**Side by side**", "", *_table(told.DIFFERENCES_HEAD, told.differences(answer))]
    lines += ["", "**Seed by seed**", "", *_table(told.SEEDS_HEAD, told.seeds(answer))]
    lines += listed("Remarks", map(prose, answer.notes))
    return "\n".join(lines) + "\n"


def fit_report(fit: CriticFit, name: str) -> str:
    """What came of fitting a critic alone."""
    _, word, says, means = told.fit_answer(fit)
    lines = [f"## {word.upper()}: the critic alone of {prose(name)}", "", prose(", ".join(told.fit_facts(fit)))]
    lines += ["", prose(says), "", "**What it means**", "", prose(means)]
    lines += ["", "**What explains the returns**", "", *_table(told.FIT_HEAD, told.fit_rows(fit))]
    lines += listed("Remarks", map(prose, fit.notes))
    return "\n".join(lines) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [table_row(head), table_row("---" for _ in head), *(table_row(map(prose, row)) for row in rows)]
