"""The site: built strictly, whole, and without anything from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.sources import ROOT, pages
from weaklink.show.topics import write_pages, write_site_pages

pytest.importorskip("mkdocs")
pytest.importorskip("material")

OURS = ("img", "script", "link", "iframe", "source")


class Page(HTMLParser):
    """What a built page links to, what it loads and which anchors it has."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in OURS and given.get("rel") != "canonical":
            self.loads += [given[key] for key in ("src", "href") if given.get(key)]


def build(folder):
    write_pages(ROOT / "build" / "pages")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, "\n".join(line for line in done.stderr.splitlines() if not line.startswith("INFO"))


def missing(built):
    """Pages that are not in the site."""
    for name in write_site_pages():
        if Path(name.replace("README.md", "index.md")).with_suffix(".html") not in built:
            yield name
    for page in pages():
        below = page.relative_to(ROOT / "docs") if page.is_relative_to(ROOT / "docs") else None
        place = below or Path("source") / page.relative_to(ROOT)
        name = "index.html" if place.stem in ("README", "index") else f"{place.stem}.html"
        if place.parent / name not in built and page != ROOT / "README.md":
            yield str(place)


def linked_from(place, built):
    """The pages of the site that one of them links to."""
    return {os.path.normpath(Path(place).parent / urlsplit(link).path) for link in built[Path(place)].links}


def lost(site, built):
    """Links within the site that lead nowhere."""
    for place, page in built.items():
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or place.name == "404.html":
                continue
            target = Path(os.path.normpath(place.parent / unquote(parts.path))) if parts.path else place
            anchors = built[target].anchors if target in built else {parts.fragment}
            if not (site / target).exists() or (parts.fragment and parts.fragment not in anchors):
                yield f"{place}: {link}"


def fetched(site, built):
    """What pages and styles load from elsewhere."""
    for place, page in built.items():
        yield from (f"{place}: {link}" for link in page.loads if urlsplit(link).netloc)
    for style in site.rglob("*.css"):
        if re.search(r"url\(['\"]?(https?:)?//|@import", style.read_text(encoding="utf-8")):
            yield str(style)


@pytest.mark.whole
def test_the_site_is_built_strictly_is_whole_and_loads_nothing_from_elsewhere(tmp_path):
    build(tmp_path)
    built = {file.relative_to(tmp_path): Page(file) for file in tmp_path.rglob("*.html")}
    assert list(missing(built)) == []
    assert "rules/POL303-kl-spike.html" in linked_from("failures/ppo.html", built)
    assert {"symptoms.html", "rules/index.html"} <= linked_from("index.html", built)
    assert list(lost(tmp_path, built)) == []
    assert list(fetched(tmp_path, built)) == []
