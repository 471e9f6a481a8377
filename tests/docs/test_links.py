"""Links work where the sources are read: on a code host, in an editor."""

from __future__ import annotations

import re
from functools import cache

from tests.docs.sources import ROOT, anchors, links, pages, text

anchors_of = cache(anchors)


def test_every_link_leads_somewhere():
    lost = []
    for page in pages():
        for link in links(page):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            known = target.exists() and target.is_relative_to(ROOT)
            if not known or (anchor and anchor not in anchors_of(target)):
                lost.append(f"{page.relative_to(ROOT)}: {link}")
    assert lost == []


def test_nothing_was_left_to_be_filled_in():
    left = [
        str(page.relative_to(ROOT)) for page in pages() if re.search(r"(@@|%%)[A-Z]+\1|\bTODO\b|\bFIXME\b", text(page))
    ]
    assert left == []
