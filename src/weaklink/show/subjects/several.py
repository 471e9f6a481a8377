"""Many projects that were debugged: a table of their verdicts; each has a page of its own in its folder."""

from __future__ import annotations

from collections import Counter

from weaklink.show.document import Document, Section, Table, TableRow, bind_pages
from weaklink.show.text import count_noun
from weaklink.verbs.debug.case import Case
from weaklink.verbs.debug.several import DebuggedTargets
from weaklink.verbs.targets import Failure

HEAD = ("target", "verdict", "first break", "found by", "kept in")
STATES = {"broken": "broken", "healthy": "clean"}
UNUSABLE = "unusable"


def build(debugged: DebuggedTargets) -> Document:
    """One row a project."""
    rows = tuple(_make_row(one) for one in debugged.results)
    note = "The whole answer for one: weaklink report and its folder. What is finished is not repeated."
    table = Table(title="", columns=HEAD, rows=rows, names=(0, 4))
    section = Section(id="targets", title="", note=note, blocks=(table,))
    return bind_pages((), title=_count(debugged), together=(section,))


def _make_row(one: Case | Failure) -> TableRow:
    if isinstance(one, Failure):
        return TableRow(cells=(one.target, UNUSABLE, "", "", ""), state="unknown")
    first, verdict = one.first_finding, one.verdict.value
    named = "" if first is None else f"{first.code} {first.name}"
    cells = (one.target.word or one.target.name, verdict, named, one.stage_of_break, str(one.folder))
    return TableRow(cells=cells, state=STATES.get(verdict, "unknown"), code="" if first is None else first.code)


def _count(debugged: DebuggedTargets) -> str:
    counts = Counter(UNUSABLE if isinstance(one, Failure) else one.verdict.value for one in debugged.results)
    parts = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    return f"{count_noun(len(debugged.results), 'project')}: {parts}"
