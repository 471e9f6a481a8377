"""A document as JUnit XML, which most CI systems show as tests: a page is a test case, a break its failure.

https://github.com/testmoapp/junitxml
"""

from __future__ import annotations

from xml.etree import ElementTree

from weaklink.show.document import Document, Page, ShownFinding
from weaklink.show.renderers.selection import find_target
from weaklink.show.text import clean

UNREADABLE = "unreadable"


def write_document(document: Document) -> str:
    """All pages as one suite."""
    suite = ElementTree.Element("testsuite", name="weaklink")
    cases = [_write_case(suite, page) for page in document.pages]
    suite.set("tests", str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in cases)))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'


def _write_case(suite: ElementTree.Element, page: Page) -> ElementTree.Element:
    """One page: broken fails, unreadable is an error, unclear counts as skipped, and all else passes."""
    case = ElementTree.SubElement(
        suite, "testcase", classname=f"weaklink.{page.command}", name=clean(find_target(page))
    )
    breaks = [one for one in page.findings if one.role in ("first", "break")]
    if breaks:  # one failure a case is all that some readers take: the first break, and the others below it
        first = breaks[0]
        message = clean(f"{first.link}: {first.message}")
        failure = ElementTree.SubElement(case, "failure", type=first.code, message=message)
        failure.text = "\n\n".join(map(_explain, breaks))
    if page.word == UNREADABLE:
        ElementTree.SubElement(case, "error", type=UNREADABLE, message=clean(page.headline))
    elif not breaks and page.verdict == "unclear":
        ElementTree.SubElement(case, "skipped", message=clean(page.headline))
    known = [f"{one.code} {one.name}: {one.message}" for one in page.findings if one.role == "info"]
    if known:
        ElementTree.SubElement(case, "system-out").text = _clean_lines("\n".join(known))
    return case


def _explain(finding: ShownFinding) -> str:
    proofs = (f"{proof.metric}: {proof.measured}" for proof in finding.proofs)
    to_do = (f"{place}. {line}" for place, line in enumerate(finding.fix, 1))
    return _clean_lines("\n".join((finding.message, *proofs, *to_do, finding.command)))


def _clean_lines(text: str) -> str:
    return "\n".join(clean(line) for line in text.splitlines())
