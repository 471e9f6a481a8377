"""Findings as annotations of a GitHub workflow: one command a line, which the runner turns into notes on the job.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from weaklink.show.columns import tidy
from weaklink.show.document import Document, Page, ShownFinding
from weaklink.show.renderers.selection import find_target

LEVELS = {"error": "error", "warn": "warning", "info": "notice"}
LONGEST = 1000
"""Characters of a line: a note is read in a narrow box."""


def write_document(document: Document) -> str:
    """A line for every finding that stands on its own, and one for each page without any."""
    return "".join(f"{line}\n" for page in document.pages for line in _annotate(page))


def _annotate(page: Page) -> list[str]:
    told = [one for one in page.findings if one.role != "consequence"]
    lines = [_write_command(LEVELS[one.level], f"{one.code} {one.name}", _describe(page, one)) for one in told]
    word, headline = page.answer
    return lines or [_write_command("notice", f"weaklink: {word}", f"{find_target(page)}: {headline}")]


def _describe(page: Page, finding: ShownFinding) -> str:
    first = "The first break. " if finding.role == "first" else ""
    to_do = "\n".join(f"- {line}" for line in finding.fix)
    return "\n".join(
        part for part in (f"{find_target(page)}: {first}{finding.message}", to_do, finding.command) if part
    )


def _write_command(level: str, title: str, message: str) -> str:
    said = "%0A".join(_escape(tidy(line, LONGEST)) for line in message.splitlines())
    return f"::{level} title={_escape(tidy(title, LONGEST)).replace(':', '%3A').replace(',', '%2C')}::{said}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
