"""An audit as Markdown, fit for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weaklink.base.evidence.samples import Samples, Shown
from weaklink.base.evidence.series import Series
from weaklink.collect.samples.tables import Tables
from weaklink.show import audit_wording as told
from weaklink.show import wording
from weaklink.show.columns import tidy
from weaklink.show.markdown import broken, listed, table_row
from weaklink.show.sparkline import sparkline
from weaklink.show.text import code, number, prose
from weaklink.verbs.audit import Audited

LONGEST_PROMPT = 120
LONGEST_COMPLETION = 400
CURVE = 40


def report(audited: Audited) -> str:
    """The diagnosis, samples side by side, and the tables."""
    samples, tables, diagnosis = audited.samples, audited.tables, audited.diagnosis
    lines = [*_answer(audited)]
    run = told.curves(audited)
    lines += [line for finding in wording.breaks(diagnosis) for line in broken(finding, diagnosis, run, 3)]
    known = (f"**{wording.title(one)}** {prose(one.message)}" for one in wording.worth_knowing(diagnosis))
    lines += listed("Worth knowing", known)
    lines += _verifier(audited)
    if samples is not None and tables is not None:
        lines += _side_by_side(samples)
        lines += _tables(tables)
        lines += _partings(samples)
    return "\n".join([*lines, *_coverage(audited)]) + "\n"


def _answer(audited: Audited) -> Iterable[str]:
    diagnosis = audited.diagnosis
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        answer = told.reason(audited)
    else:
        since = wording.since(first, diagnosis)
        answer = f"{first.link.value}, {wording.title(first)}" + (f", {since}" if since else "")
    yield f"## {diagnosis.verdict.value.upper()}: {prose(answer)}"
    yield ""
    target, *rest = told.facts(audited)
    yield ", ".join([code(target), *map(prose, rest)])


def _side_by_side(samples: Samples) -> Iterable[str]:
    triples = told.triples(samples)
    if not triples:
        return
    yield from ("", "**Samples side by side**", "", table_row(told.KINDS), table_row("---" for _ in told.KINDS))
    for triple in triples:
        yield table_row(_cell(shown, samples.outcome) for shown in triple)


def _cell(shown: Shown | None, outcome: str | None) -> str:
    """One sample in a cell: texts stand in code, so that nothing in them is read as a link, a name or a tag."""
    if shown is None:
        return ""
    parts = [prose(told.measured(shown, outcome))]
    texts = (tidy(shown.prompt, LONGEST_PROMPT), tidy(shown.completion, LONGEST_COMPLETION))
    parts += [code(text) for text in texts if text]
    return "<br>".join([*parts, *(() if texts[1] else ("(empty)",))])


def _tables(tables: Tables) -> Iterable[str]:
    yield from _table("What is paid", told.COMPONENTS, [told.component_cells(one) for one in tables.components])
    leanings = [told.leaning_cells(one) for one in tables.leanings[: told.MOST_LEANINGS]]
    yield from _table("What the reward follows", told.LEANINGS, leanings)
    yield from _trends(tables)
    yield from listed("Groups", map(prose, told.group_lines(tables.groups) if tables.groups else ()))


def _table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], longest: int = told.LONGEST_NAME
) -> Iterable[str]:
    if not rows:
        return
    yield from ("", f"**{title}**", "", table_row(head), table_row(("---", *("---:" for _ in head[1:]))))
    for name, *numbers in rows:
        yield table_row((code(tidy(name, longest)), *map(prose, numbers)))


def _trends(tables: Tables) -> Iterable[str]:
    if not tables.trends:
        yield from ("", told.nothing_by_step(tables))
        return
    head = ("what", "start", "end", "curve")
    yield from ("", "**By training step**", "", table_row(head), table_row(("---", "---:", "---:", "---")))
    for trend in tables.trends:
        curve = sparkline(Series.of(trend.name, trend.steps, trend.values), CURVE)
        ends = (number(trend.start), number(trend.end))
        yield table_row((code(tidy(trend.name, told.LONGEST_NAME)), *ends, curve.drawn if curve else ""))
    if tables.peak is not None:
        yield from ("", prose(told.peak(tables.peak)))


def _partings(samples: Samples) -> Iterable[str]:
    shown = samples.partings[: told.MOST_PARTINGS]
    items = (f"{code(told.task(one))} {prose(told.parting(one))}" for one in shown)
    yield from listed("Where success and failure part", items)


def _verifier(audited: Audited) -> Iterable[str]:
    check = audited.verifier
    if check is None:
        return
    yield from ("", f"**Verifier** {code(check.name)}", "", prose(told.tried(check)))
    for family, title in told.FAMILIES.items():
        odd, rest = told.notable(family, audited.tried)
        rows = [told.tried_cells(one) for one in odd]
        yield from _table(title.capitalize(), ("kind", *told.TRIED), rows, told.LONGEST_KIND)
        if rest:
            yield from ("", f"{rest}.")
    yield from listed("Remarks on the verifier", map(prose, check.notes))


def _coverage(audited: Audited) -> Iterable[str]:
    diagnosis = audited.diagnosis
    yield from ("", wording.coverage(diagnosis))
    wishes = diagnosis.wishes[: told.WISHES_SHOWN]
    items = (f"{code(wording.wished(one))} {prose(wording.wish(one))}" for one in wishes)
    yield from listed("To let more judge, add", items)
    lines = (*told.remarks(audited), wording.unknown_keys(diagnosis), *wording.unable(diagnosis))
    yield from listed("Remarks", (prose(line.strip()) for line in lines if line))
