"""The one entry for all that is shown: a result becomes a document or a record, and a renderer writes it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from weaklink.show.document import HTML, SHORT, TERMINAL, WHOLE, Document, bind_pages
from weaklink.show.layout import TerminalSheet

JSON = "json"
FOR_CI = ("github", "sarif", "junit")
"""Formats for machines that show the findings of many tools: all of them are named after their renderer."""
SUBJECTS = {
    "Diagnosis": "run",
    "Diagnosed": "diagnosed",
    "Failure": "fleet",
    "SweepPatterns": "patterns",
    "FleetAnswer": "answer",
    "Preflight": "preflight",
    "Probed": "probe",
    "Against": "against",
    "CheckedKernels": "kernels",
    "Audited": "audit",
    "Compared": "compare",
    "Case": "case",
    "DebuggedTargets": "several",
    "Minimal": "minimal",
    "Answer": "experiment",
    "CriticFit": "critic",
    "Estimate": "memory",
    "Event": "watch",
}
"""The type of a result, and the file of show/subjects that shows it: loaded when the first such result is shown."""

PAGED = frozenset({"Diagnosis", "Diagnosed"})
"""Results with sections that only a page shows and that take time to make: a terminal is spared them."""


def render(
    result: object, format: str, *, width: int = 80, unicode: bool = True, show_all: bool = False, **options: Any
) -> str:
    """A result as text.

    Args:
        result: what a verb answered; SUBJECTS lists the types.
        format: `terminal`, `json`, `markdown`, `html` or one of FOR_CI.
        width: the columns of the terminal.
        unicode: whether more than ASCII can be shown there.
        show_all: whether a page also shows what is hidden from other eyes: names, paths, what looks like a secret.
        options: those of the subject, such as `everything` of a preflight.
    """
    if format == TERMINAL:
        return lay_out(result, TerminalSheet(width, unicode=unicode), **options).plain()
    if format == JSON:
        return write_json(result, **options)
    return write_file(build_document(result, **options), format, show_all=show_all)


def build_document(result: object, **options: Any) -> Document:
    """All that is said of a result, for any renderer."""
    built = _find_subject(result).build(result, **options)
    return built if isinstance(built, Document) else bind_pages([built])


def lay_out(
    result: object, sheet: TerminalSheet, *, view: str = WHOLE, checklists: bool = False, **options: Any
) -> TerminalSheet:
    """A result on a sheet for a terminal, in the `short` view with or without checklists, or `whole`."""
    from weaklink.show.renderers import terminal

    spared = {"paged": False} if type(result).__name__ in PAGED else {}
    document = build_document(result, **options, **spared)
    return terminal.write_document(document, sheet, view=view, checklists=checklists)


def write_json(result: object, **options: Any) -> str:
    """A result as one line of JSON."""
    from weaklink.show.renderers.json import write_line

    subject = _find_subject(result)
    return write_line(subject.COMMAND, subject.record(result, **options))


def write_file(document: Document, format: str, *, show_all: bool = False) -> str:
    """A document as Markdown, HTML or one of FOR_CI; a page holds nothing private unless it is to show all."""
    if format == HTML and not show_all:
        from weaklink.show.hiding import hide_in_document

        document = hide_in_document(document)
    written: str = import_module(f"weaklink.show.renderers.{format}").write_document(document)
    return written


def view(result: object, format: str) -> str:
    """A result as it shows itself: on a `terminal` in short, in a `notebook` without what is private."""
    if format == TERMINAL:
        return lay_out(result, TerminalSheet(), view=SHORT).plain().rstrip("\n")
    from weaklink.show.hiding import hide_in_document
    from weaklink.show.renderers.notebook import write_document

    return write_document(hide_in_document(build_document(result)))


def _find_subject(result: object) -> ModuleType:
    return import_module(f"weaklink.show.subjects.{SUBJECTS[type(result).__name__]}")
