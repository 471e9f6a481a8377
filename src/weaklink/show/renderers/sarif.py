"""Findings as SARIF 2.1.0, the exchange format of static analysers: code scanning shows them beside the code.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from weaklink.show.document import Document, Page, ShownFinding
from weaklink.show.renderers.json import encode_line
from weaklink.show.renderers.selection import find_target
from weaklink.show.text import clean

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warn": "warning", "info": "note"}


def write_document(document: Document) -> str:
    """One run of the tool: every rule that found something, and every finding with what it was found in."""
    found = [(page, finding) for page in document.pages for finding in page.findings]
    rules = {finding.code: finding for _, finding in reversed(found)}
    places = {code: place for place, code in enumerate(sorted(rules))}
    driver = {
        "name": "weaklink",
        "version": document.weaklink,
        "rules": [_describe_rule(rules[code]) for code in places],
    }
    results = [_describe_result(page, finding, places[finding.code]) for page, finding in found]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return msgspec.json.format(encode_line(log), indent=2) + "\n"


def _describe_rule(finding: ShownFinding) -> dict[str, Any]:
    help_text = f"weaklink explain {finding.code}"
    return {
        "id": finding.code,
        "name": finding.name,
        "shortDescription": {"text": finding.name.replace("-", " ")},
        "fullDescription": {"text": finding.about or finding.name},
        "help": {"text": help_text, "markdown": f"`{help_text}`"},
        "properties": {"tags": [finding.link] if finding.link else []},
    }


def _describe_result(page: Page, finding: ShownFinding, place: int) -> dict[str, Any]:
    parts = (finding.message, *finding.fix, f"To prove it: {finding.verify}" if finding.verify else "")
    return {
        "ruleId": finding.code,
        "ruleIndex": place,
        "level": LEVELS[finding.level],
        "message": {"text": "\n".join(part for part in parts if part)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _make_uri(page)}, "region": {"startLine": 1}}}],
        "partialFingerprints": {"weaklink/1": f"{page.command}:{find_target(page)}:{finding.code}"},
        "properties": {"link": finding.link, "role": finding.role, "since": finding.since},
    }


def _make_uri(page: Page) -> str:
    """What was judged as a reference; what is no file, such as an environment, keeps its name."""
    known = clean(find_target(page))
    return Path(known).as_uri() if Path(known).is_absolute() else quote(known.replace("\\", "/"), safe="/")
