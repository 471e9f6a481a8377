"""The pages that people and agents read, as they lie in the repository."""

from __future__ import annotations

import re
from pathlib import Path

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
    """Every page, the generated ones included."""
    return [*(ROOT / name for name in TOP), *sorted((ROOT / "docs").rglob("*.md"))]


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return FENCE.sub("", text(page))


def links(page: Path) -> list[str]:
    """Where a page links to within the repository."""
    return [link for link in LINK.findall(prose(page)) if "://" not in link and not link.startswith("mailto:")]


def anchors(page: Path) -> set[str]:
    """The anchors of its headings, as code hosts make them."""
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).lower()).replace(" ", "-")
        for heading in HEADING.findall(prose(page))
    }
