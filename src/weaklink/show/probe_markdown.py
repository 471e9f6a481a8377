"""A climb as Markdown, fit for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.ladder import answered, climbed, left_out, trained
from weaklink.show.markdown import broken, listed, table_row
from weaklink.show.text import code, prose


def report(diagnosis: Diagnosis, outcome: Outcome) -> str:
    """The diagnosis and the ladder as a table."""
    first = wording.first_finding(diagnosis)
    answer = climbed(outcome) if first is None or first.link is None else f"{first.link.value}, {wording.title(first)}"
    lines = [f"## {diagnosis.verdict.value.upper()}: {prose(answer)}", "", prose(trained(outcome))]
    lines += [line for finding in wording.breaks(diagnosis) for line in broken(finding, diagnosis, None, 3)]
    known = (f"**{wording.title(one)}** {prose(one.message)}" for one in wording.worth_knowing(diagnosis))
    lines += listed("Worth knowing", known)
    lines += _ladder(outcome)
    lines += listed("Remarks", (prose(line) for line in (*left_out(outcome), *diagnosis.notes)))
    return "\n".join([*lines, "", wording.judged(diagnosis)]) + "\n"


def _ladder(outcome: Outcome) -> Iterable[str]:
    if not outcome.rungs:
        return
    yield from ("", table_row(("rung", "environment", "verdict", "measured, and what is right", "seeds")))
    yield table_row(("---", "---", "---", "---", "---:"))
    for rung in outcome.rungs:
        held = sum(trial.holds is True for trial in rung.final)
        name = f"{rung.code} {rung.name}"
        cells = (name, code(rung.environment), rung.verdict, prose(answered(rung)), f"{held}/{len(rung.final)}")
        yield table_row(cells)
