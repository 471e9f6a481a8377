"""A comparison as Markdown, fit for the summary of a CI job."""

from __future__ import annotations

from weaklink.base.evidence.comparison import Comparison
from weaklink.base.evidence.standing import standing
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import against_wording as told
from weaklink.show import wording
from weaklink.show.markdown import broken, listed, table_row
from weaklink.show.text import code, prose


def report(diagnosis: Diagnosis, comparison: Comparison) -> str:
    """The diagnosis, both sides as a table, and what each was given."""
    found = standing(comparison)
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        answer = told.reason(diagnosis, comparison, found)
    else:
        answer = f"{first.link.value}, {wording.title(first)}"
    lines = [f"## {diagnosis.verdict.value.upper()}: {prose(answer)}", "", prose(", ".join(told.facts(comparison)))]
    lines += [line for finding in wording.breaks(diagnosis) for line in broken(finding, diagnosis, None, 3)]
    known = (f"**{wording.title(one)}** {prose(one.message)}" for one in wording.worth_knowing(diagnosis))
    lines += listed("Worth knowing", known)
    head = ("", code(comparison.trainer.name), code(comparison.reference.name))
    lines += ["", table_row(head), table_row(("---", "---:", "---:"))]
    lines += [table_row(row) for row in told.rows(comparison, found)]
    lines += listed("Between them", map(prose, told.between(comparison, found)))
    lines += listed("Settings", map(prose, (*told.settings(comparison), *diagnosis.notes)))
    return "\n".join(lines) + "\n"
