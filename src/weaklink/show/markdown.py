"""A diagnosis as Markdown, fit for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weaklink.base.evidence.run import Run
from weaklink.base.finding import Evidence, Finding
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show import fleet, wording
from weaklink.show.sparkline import sparkline
from weaklink.show.text import code, confidence, number, prose, step
from weaklink.verbs.diagnose import Result, failures

CURVE = 40
EVIDENCE = ("metric", "value", "limit", "step", "curve")


def report(diagnosis: Diagnosis, run: Run | None = None, symptom: Symptom | None = None, *, depth: int = 2) -> str:
    """The whole diagnosis of one run under a heading of the given depth."""
    lines = [*_answer(diagnosis, run, depth)]
    if symptom is not None:
        lines += _symptom(symptom, diagnosis)
    first = wording.first_finding(diagnosis)
    if first is not None:
        lines += broken(first, diagnosis, run, depth + 1)
    for other in wording.other_breaks(diagnosis):
        lines += broken(other, diagnosis, run, depth + 1)
    lines += listed(
        "Worth knowing",
        (f"**{wording.title(one)}** {prose(one.message)}" for one in wording.worth_knowing(diagnosis)),
    )
    lines += listed("Where to look next", (prose(line.lstrip("0123456789. ")) for line in diagnosis.advice))
    return "\n".join([*lines, *_coverage(diagnosis)]) + "\n"


def summary(results: Sequence[Result], together: Diagnosis | None = None, symptom: Symptom | None = None) -> str:
    """The table of a fleet, what its runs say taken together, then each run that broke."""
    folder, rows = fleet.rows(results)
    lines = [f"## weaklink: {fleet.counted(results)}", ""]
    if folder:
        lines += [f"in {code(folder)}", ""]
    lines += [table_row(fleet.HEAD), table_row("---" for _ in fleet.HEAD)]
    lines += [table_row((code(row.run), *row.cells[1:])) for row in rows]
    lines += listed("Could not be read", (prose(failure.message) for failure in failures(results)))
    if together is not None:
        lines += [line for finding in together.findings for line in broken(finding, together, None, 3)]
    for result in results:
        if isinstance(result, Diagnosis) and result.first_break is not None:
            lines += ["", report(result, None, symptom, depth=3).rstrip()]
    return "\n".join(lines) + "\n"


def _answer(diagnosis: Diagnosis, run: Run | None, depth: int) -> Iterable[str]:
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        answer = wording.reason(diagnosis, run)
    else:
        when = wording.since(first, diagnosis)
        answer = f"{first.link.value}, {wording.title(first)}" + (f", {when}" if when else "")
    yield f"{'#' * depth} {diagnosis.verdict.value.upper()}: {prose(answer)}"
    yield ""
    steps = f", {step(diagnosis.steps)} steps" if diagnosis.steps else ""
    framework = f", {prose(diagnosis.framework)}" if diagnosis.framework else ""
    yield f"{code(diagnosis.target)}{framework}{steps}"


def broken(finding: Finding, diagnosis: Diagnosis, run: Run | None, depth: int) -> Iterable[str]:
    """One break in full."""
    yield ""
    sure = f"{finding.severity.word}, {confidence(finding.confidence)} confidence"
    yield f"{'#' * depth} {wording.title(finding)} ({sure})"
    yield ""
    yield prose(finding.message)
    yield from _evidence(finding, run)
    yield from listed("What to do", (prose(item) for item in finding.fix), numbered=True)
    if finding.verify:
        yield from ("", "**How to prove it**", "", _experiment(finding.verify))
    followed = diagnosis.under(finding.code)
    items = (f"{wording.title(one)}, {wording.whereabouts(one, diagnosis)}" for one in followed)
    yield from listed("What followed from it", items)


def _evidence(finding: Finding, run: Run | None) -> Iterable[str]:
    if not finding.evidence:
        return
    columns = 4 if run is None else 5
    yield from ("", table_row(EVIDENCE[:columns]), table_row(("---", "---:", "---:", "---:", "---")[:columns]))
    for one in finding.evidence:
        series = None if run is None else run.get(one.metric)
        curve = None if series is None else sparkline(series, CURVE)
        key = wording.own_key(one.metric, run)
        cells = (
            code(one.metric) + (f" ({code(key)})" if key else ""),
            number(one.value),
            "" if one.limit is None else number(one.limit),
            _place(one, finding.onset, run),
            "" if curve is None else f"{number(curve.low)} {curve.drawn} {number(curve.high)}",
        )
        yield table_row(cells[:columns])


def _place(evidence: Evidence, onset: float | None, run: Run | None) -> str:
    if evidence.step is None:
        return ""
    return f"from {step(evidence.step)} on" if wording.is_level(evidence, onset, run) else step(evidence.step)


def _experiment(verify: str) -> str:
    return code(verify) if verify.startswith("weaklink ") else prose(verify)


def _symptom(symptom: Symptom, diagnosis: Diagnosis) -> Iterable[str]:
    walk = (f"**{rule} {name}** {prose(became)}" for rule, name, became in wording.symptom_walk(symptom, diagnosis))
    yield from listed(f"You see: {symptom.name}", walk)
    yield from ("", prose(symptom.advice))


def _coverage(diagnosis: Diagnosis) -> Iterable[str]:
    yield from ("", wording.coverage(diagnosis))
    wishes = diagnosis.wishes[: wording.WISHES_SHOWN]
    items = (f"{code(wording.wished(one))} {prose(wording.wish(one))}" for one in wishes)
    yield from listed("To let more judge, log", items)
    remarks = (wording.unknown_keys(diagnosis), *wording.unable(diagnosis), *diagnosis.notes)
    yield from listed("Remarks", (prose(remark) for remark in remarks if remark))


def listed(heading: str, items: Iterable[str], *, numbered: bool = False) -> Iterable[str]:
    """A list under a heading of its own; nothing where there is no item."""
    listed = [f"{count}. {item}" if numbered else f"- {item}" for count, item in enumerate(items, 1)]
    if listed:
        yield from ("", f"**{heading}**", "", *listed)


def table_row(cells: Iterable[str]) -> str:
    """One row of a table."""
    return f"| {' | '.join(cells)} |"
