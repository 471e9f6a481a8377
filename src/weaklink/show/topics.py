"""Pages that are made from the code and kept nowhere: for `weaklink explain`, and for the site.

`python -m weaklink.show.topics FOLDER` writes those of the site.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from weaklink.show import pages, probe_pages, symptom_page
from weaklink.show.layout import TerminalSheet

TOPICS: Mapping[str, Callable[[], str]] = {
    "metrics": pages.write_vocabulary,
    "probes": lambda: probe_pages.write_probe_pages()[pages.INDEX],
    "symptoms": symptom_page.write_symptom_page,
}
"""What `weaklink explain` knows beside the rules."""

_EMPHASIS = re.compile(r"\*+([^*\n]+)\*+")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def find_topic(word: str) -> str:
    """The page of a topic as Markdown; empty where there is none of this name."""
    make = TOPICS.get(word.strip().lower())
    return strip_links(make()) if make else ""


def describe_problem(rule_code: str) -> str:
    """What a rule of a probe is about: the problem, its right answers and what known mistakes would learn.

    Empty for other rules.
    """
    if not rule_code.startswith("PRB"):
        return ""
    _, _, body = probe_pages.write_probe_pages().get(pages.find_file(rule_code), "").partition("\n\n")
    return body and strip_links(body)


def strip_links(markdown: str) -> str:
    """A page without links to other pages, and without the line that has nothing else."""
    lines = [line for line in markdown.splitlines() if not re.fullmatch(rf"({_LINK.pattern}( · )?)+", line)]
    return _LINK.sub(r"\1", "\n".join(lines)).replace("\n\n\n", "\n\n").strip() + "\n"


def draw_markdown(markdown: str, sheet: TerminalSheet) -> TerminalSheet:
    """Writes Markdown for a terminal: headings, paragraphs, lists and the rows of tables."""
    plain = _EMPHASIS.sub(r"\1", markdown.replace("```sh\n", "").replace("```\n", ""))
    for block in filter(None, plain.split("\n\n")):
        if block.startswith("#"):
            sheet.gap()
            sheet.line((block.lstrip("# "), "strong"))
        elif block.startswith("|"):
            head, _, *rows = block.splitlines()
            for row in (head, *rows):
                cells = "  ".join(cell.strip().strip("`") for cell in row.strip("|").split("|"))
                sheet.text((cells, "dim" if row is head else ""), indent=2, hang=4)
        else:
            sheet.gap()
            pages.write_body(block, sheet)
    return sheet


def write_site_pages() -> dict[str, str]:
    """Every page of the site that is made from the code, by its file."""
    return {
        **{f"rules/{name}": text for name, text in pages.write_rule_pages().items()},
        **{f"probes/{name}": text for name, text in probe_pages.write_probe_pages().items()},
        "symptoms.md": symptom_page.write_symptom_page(),
    }


def write_pages(folder: Path) -> None:
    """Writes these pages, and takes away those that are no more."""
    made = write_site_pages()
    for stale in folder.rglob("*.md"):
        if stale.relative_to(folder).as_posix() not in made:
            stale.unlink()
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
