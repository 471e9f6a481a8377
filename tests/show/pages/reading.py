"""What a page holds, read back as a browser reads it: from JSON, with the numbers decoded."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from weaklink.show.document import Document, Page, bind_pages
from weaklink.show.renderers.html import encode_document

KINDS = ("chart", "histogram", "boxes", "strips", "table", "sides", "prose", "checklist")


def read_back(*pages: Page) -> dict[str, Any]:
    """The document of some pages as plain data."""
    return of_document(bind_pages(pages))


def of_document(made: Document) -> dict[str, Any]:
    """A document as plain data."""
    return json.loads(encode_document(made))


def blocks(page: dict[str, Any], kind: str = "") -> Iterator[dict[str, Any]]:
    """The blocks of a page, of one kind or all."""
    for section in page["sections"]:
        for block in section["blocks"]:
            if kind in ("", block["kind"]):
                yield block


def charts(page: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The charts of a page by their names."""
    return {chart["id"]: chart for chart in blocks(page, "chart")}


def curve(line: dict[str, Any], part: str = "values") -> np.ndarray:
    """The numbers of a line."""
    return np.frombuffer(base64.b64decode(line[part]), "<f4")


def steps(line: dict[str, Any], holder: dict[str, Any]) -> np.ndarray:
    """The steps under a line."""
    return np.frombuffer(base64.b64decode(holder["axes"][line["axis"]]["values"]), "<f8")
