"""The pages that people and agents read, as they lie in the repository."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from weaklink.show.topics import write_site_pages

ROOT = Path(__file__).parents[2]
TOP = (
    "README.md",
    "SKILL.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "bench/README.md",
    "examples/README.md",
    "examples/projects/README.md",
)
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def pages() -> list[Path]:
    """Every page in the repository."""
    return [*(ROOT / name for name in TOP), *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def texts() -> dict[str, str]:
    """The text of every page by its name, of those that are made from the code too."""
    in_repository = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages()}
    return {**in_repository, **write_site_pages()}


def prose(text: str) -> str:
    """A page without its blocks of code."""
    return FENCE.sub("", text)


def links(text: str) -> list[str]:
    """Where a page links to within the repository."""
    return [link for link in LINK.findall(prose(text)) if "://" not in link and not link.startswith("mailto:")]


def anchors(text: str) -> set[str]:
    """The anchors of its headings, as code hosts make them."""
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).lower()).replace(" ", "-")
        for heading in HEADING.findall(prose(text))
    }
