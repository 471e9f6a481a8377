"""A diagnosis for a person at a terminal: the answer first, then why, what to do and how to prove it."""

from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Evidence, Finding
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show import wording
from weaklink.show.layout import Page, Span
from weaklink.show.sparkline import sparkline
from weaklink.show.text import confidence, number, step

WIDEST_CURVE = 60
MOST_CURVES = 3


def report(diagnosis: Diagnosis, run: Run, page: Page, symptom: Symptom | None = None) -> Page:
    """Writes the whole diagnosis of one run."""
    first = wording.first_finding(diagnosis)
    _answer(diagnosis, run, first, page)
    if symptom is not None:
        _symptom(symptom, diagnosis, page)
    findings(diagnosis, run, page)
    _coverage(diagnosis, page)
    return page


def findings(diagnosis: Diagnosis, run: Run | None, page: Page) -> None:
    """The first break in full, the others in short, what is worth knowing and where to look next."""
    first = wording.first_finding(diagnosis)
    if first is not None:
        _break(first, diagnosis, run, page)
    for other in wording.other_breaks(diagnosis):
        _other_break(other, diagnosis, page)
    _worth_knowing(diagnosis, page)
    _advice(diagnosis, page)


def _answer(diagnosis: Diagnosis, run: Run, first: Finding | None, page: Page) -> None:
    verdict: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    if first is None or first.link is None:
        page.text(verdict, ("  ", ""), (wording.reason(diagnosis, run), ""), hang=len(verdict[0]) + 2)
    else:
        page.line(
            verdict,
            ("  ", ""),
            (first.link.value, "strong"),
            ("  ", ""),
            (wording.title(first), "strong"),
            (f"  {wording.since(first, diagnosis)}", ""),
        )
    page.text((wording.facts(diagnosis), "dim"))


def _break(finding: Finding, diagnosis: Diagnosis, run: Run | None, page: Page) -> None:
    page.gap()
    page.text((finding.message, ""), indent=2)
    page.text(
        (finding.severity.word, finding.severity.word),
        (f", {confidence(finding.confidence)} confidence", "dim"),
        indent=2,
    )
    _evidence(finding, run, page)
    if finding.fix:
        heading("What to do", page)
        for count, item in enumerate(finding.fix, 1):
            page.text((f"{count}. ", "dim"), (item, ""), indent=4, hang=3)
    if finding.verify:
        heading("How to prove it", page)
        page.text((finding.verify, ""), indent=4)
    _consequences(finding, diagnosis, page)


def _consequences(finding: Finding, diagnosis: Diagnosis, page: Page) -> None:
    followed = diagnosis.under(finding.code)
    if not followed:
        return
    heading("What followed from it", page)
    for one in followed:
        page.text(
            (wording.title(one), one.severity.word),
            (f", {wording.whereabouts(one, diagnosis)}", "dim"),
            indent=4,
            hang=2,
        )


def _evidence(finding: Finding, run: Run | None, page: Page) -> None:
    by_metric: dict[str, list[Evidence]] = {}
    for one in finding.evidence:
        by_metric.setdefault(one.metric, []).append(one)
    if run is not None and run.performance is not None:
        by_metric.setdefault(run.performance.metric, [])
    if not by_metric:
        return
    heading("Evidence", page)
    main = None if run is None else run.series.get(next(iter(by_metric), ""))
    for drawn, (metric, items) in enumerate(by_metric.items()):
        values = "; ".join(wording.measured(item, finding.onset, run) for item in items)
        key = wording.own_key(metric, run)
        page.text((metric, "strong"), (f" ({key})" if key else "", "dim"), (f"  {values}", ""), indent=4, hang=2)
        series = None if run is None else run.get(metric)
        if series is not None and drawn < MOST_CURVES:
            same_axis = main is not None and series.provenance.axis == main.provenance.axis
            _curve(series, finding.onset if same_axis else None, page)


def _curve(series: Series, onset: float | None, page: Page) -> None:
    low, high = number(float(series.lows.min())), number(float(series.highs.max()))
    room = min(WIDEST_CURVE, page.width - 8 - len(low) - len(high))
    curve = sparkline(series, room, mark=onset, unicode=page.unicode)
    if curve is None or len(series) < 2:
        return
    page.line((" " * 6, ""), (low, "dim"), (" ", ""), (curve.drawn, "curve"), (" ", ""), (high, "dim"))
    if curve.mark is None or onset is None:
        return
    left = 7 + len(low) + curve.mark
    label = f"step {step(onset)}"
    sign = "▲" if page.unicode else "^"
    if left + 2 + len(label) > page.width:
        page.line((" " * (left - len(label) - 1) + label + " ", "dim"), (sign, "mark"))
    else:
        page.line((" " * left, ""), (sign, "mark"), (f" {label}", "dim"))


def _other_break(finding: Finding, diagnosis: Diagnosis, page: Page) -> None:
    page.gap()
    link = finding.link.value if finding.link else ""
    page.text(
        ("Also broken", finding.severity.word),
        (f"  {link}  ", ""),
        (wording.title(finding), "strong"),
        (f"  {wording.since(finding, diagnosis)}".rstrip(), ""),
        hang=2,
    )
    page.text((finding.message, ""), indent=2)
    if finding.fix:
        page.text(("To do: ", "dim"), (finding.fix[0], ""), indent=2, hang=2)
    page.text((f"weaklink explain {finding.code}", "dim"), indent=2)
    _consequences(finding, diagnosis, page)


def _worth_knowing(diagnosis: Diagnosis, page: Page) -> None:
    infos = wording.worth_knowing(diagnosis)
    if not infos:
        return
    heading("Worth knowing", page, indent=0)
    for one in infos:
        page.text((wording.title(one), "info"), (f"  {one.message}", ""), indent=2, hang=2)


def _advice(diagnosis: Diagnosis, page: Page) -> None:
    if not diagnosis.advice:
        return
    heading("Where to look next", page, indent=0)
    for line in diagnosis.advice:
        page.text((line, ""), indent=2, hang=3 if line[:1].isdigit() else 0)


def _symptom(symptom: Symptom, diagnosis: Diagnosis, page: Page) -> None:
    heading(f"You see: {symptom.name}", page, indent=0)
    for code, name, became in wording.symptom_walk(symptom, diagnosis):
        page.text((f"{code} {name}", "strong"), (f"  {became}", ""), indent=2, hang=8)
    page.text((symptom.advice, ""), indent=2)


def _coverage(diagnosis: Diagnosis, page: Page) -> None:
    page.gap()
    page.text((wording.coverage(diagnosis), "dim"))
    shown = diagnosis.wishes[: wording.WISHES_SHOWN]
    if shown:
        page.text(("To let more judge, log", "dim"))
    for one in shown:
        page.text((wording.wished(one), ""), (f"  {wording.wish(one)}", "dim"), indent=2, hang=2)
    for line in (wording.unknown_keys(diagnosis), *wording.unable(diagnosis), *diagnosis.notes):
        if line:
            page.text((line, "dim"), hang=2)


def heading(text: str, page: Page, indent: int = 2) -> None:
    """A line that begins a part."""
    page.gap()
    page.line((" " * indent, ""), (text, "strong"))
