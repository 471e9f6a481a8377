"""Pages that are made from the code and kept nowhere: for `weaklink explain`, and for the site.

`python -m weaklink.show.topics FOLDER` writes those of the site.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from weaklink.show import pages, probe_pages, symptom_page
from weaklink.show.layout import Sheet

TOPICS: Mapping[str, Callable[[], str]] = {
    "metrics": pages.vocabulary,
    "probes": lambda: probe_pages.written()[pages.INDEX],
    "symptoms": symptom_page.markdown,
}
"""What `weaklink explain` knows beside the rules."""

_EMPHASIS = re.compile(r"\*+([^*\n]+)\*+")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def topic(word: str) -> str:
    """The page of a topic as Markdown; empty where there is none of this name."""
    make = TOPICS.get(word.strip().lower())
    return without_links(make()) if make else ""


def problem(rule_code: str) -> str:
    """What a rule of a probe is about: the problem, its right answers and what known mistakes would learn.

    Empty for other rules.
    """
    if not rule_code.startswith("PRB"):
        return ""
    _, _, body = probe_pages.written().get(pages.file_of(rule_code), "").partition("\n\n")
    return body and without_links(body)


def without_links(markdown: str) -> str:
    """A page without links to other pages, and without the line that has nothing else."""
    lines = [line for line in markdown.splitlines() if not re.fullmatch(rf"({_LINK.pattern}( · )?)+", line)]
    return _LINK.sub(r"\1", "\n".join(lines)).replace("\n\n\n", "\n\n").strip() + "\n"


def draw(markdown: str, sheet: Sheet) -> Sheet:
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
            pages.body(block, sheet)
    return sheet


def site_pages() -> dict[str, str]:
    """Every page of the site that is made from the code, by its file."""
    return {
        **{f"rules/{name}": text for name, text in pages.written().items()},
        **{f"probes/{name}": text for name, text in probe_pages.written().items()},
        "symptoms.md": symptom_page.markdown(),
    }


def write_pages(folder: Path) -> None:
    """Writes these pages, and takes away those that are no more."""
    made = site_pages()
    for stale in folder.rglob("*.md"):
        if stale.relative_to(folder).as_posix() not in made:
            stale.unlink()
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
