"""A preflight as Markdown, fit for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weaklink.base.evidence.survey import Survey
from weaklink.judge.diagnosis.checklists import Item
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.markdown import broken, listed, table_row
from weaklink.show.text import code, number, prose

MARKS = {"done": "x", "failed": " ", "open": " "}


def report(diagnosis: Diagnosis, survey: Survey, checklist: Sequence[Item]) -> str:
    """A preflight: the diagnosis, the baselines as a table and the checklist."""
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        answer = wording.survey_reason(diagnosis)
    else:
        answer = f"{first.link.value}, {wording.title(first)}"
    lines = [f"## {diagnosis.verdict.value.upper()}: {prose(answer)}", "", code(diagnosis.target)]
    lines += [line for finding in wording.breaks(diagnosis) for line in broken(finding, diagnosis, None, 3)]
    known = (f"**{wording.title(one)}** {prose(one.message)}" for one in wording.worth_knowing(diagnosis))
    lines += listed("Worth knowing", known)
    lines += listed("Where to look next", map(prose, diagnosis.advice))
    lines += _baselines(survey)
    lines += ["", "**Before training**", "", *(f"- [{MARKS[item.state]}] {item_line(item)}" for item in checklist)]
    return "\n".join([*lines, "", wording.judged(diagnosis)]) + "\n"


def _baselines(survey: Survey) -> Iterable[str]:
    plays = [play for play in survey.plays.values() if play.episodes]
    if not plays:
        return
    yield from (
        "",
        table_row(("baseline", "mean return", "episodes", "how")),
        table_row(("---", "---:", "---:", "---")),
    )
    for play in plays:
        mean = number(float(play.returns.mean()))
        yield table_row((code(play.policy), mean, str(play.episodes), prose(play.told)))


def item_line(item: Item) -> str:
    """One item of a checklist, without its box."""
    told = f": {prose(item.told)}" if item.told else ""
    return f"{prose(item.name)}{told}" + (f" {code(item.command)}" if item.command else "")
