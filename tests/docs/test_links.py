"""Links work where the sources are read: on a code host, in an editor."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tests.docs.sources import ROOT, anchors, links, pages, texts


@cache
def anchors_of(page: Path) -> set[str]:
    return anchors(page.read_text(encoding="utf-8"))


def test_every_link_leads_somewhere():
    lost = []
    for page in pages():
        for link in links(page.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            known = target.exists() and target.is_relative_to(ROOT)
            if not known or (anchor and anchor not in anchors_of(target)):
                lost.append(f"{page.relative_to(ROOT)}: {link}")
    assert lost == []


def test_nothing_was_left_to_be_filled_in():
    left = [page for page, text in texts().items() if re.search(r"(@@|%%)[A-Z]+\1|\bTODO\b|\bFIXME\b", text)]
    assert left == []
