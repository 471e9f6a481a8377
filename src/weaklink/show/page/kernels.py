"""The page of a module whose kernels were checked."""

from __future__ import annotations

from weaklink.base.evidence.kernels import RIGHT, UNCLEAR, WRONG, KernelChecks
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.kernels import MARKS, counted, remarks
from weaklink.show.page.blocks import Block, Page, Prose, Row, Section, Table
from weaklink.show.page.coverage import coverage
from weaklink.show.page.findings import findings, headline
from weaklink.show.page.loop import links

STATES = {RIGHT: "clean", WRONG: "broken", UNCLEAR: "unknown"}


def kernels_page(checks: KernelChecks, diagnosis: Diagnosis, *, id: str = "kernels") -> Page:
    """Functions against right answers."""
    rows = tuple(
        Row(
            cells=(check.kernel, check.place, MARKS[check.verdict], check.told, check.smallest),
            state=STATES[check.verdict],
        )
        for check in checks.checks
    )
    columns = ("kernel", "function", "verdict", "what was seen", "smallest failing case")
    blocks: list[Block] = [Table(title="Kernels", columns=columns, rows=rows)] if rows else []
    said = tuple(remarks(checks))
    if said:
        blocks.append(Prose(title="Remarks", paragraphs=said))
    return Page(
        id=id,
        title=checks.name or diagnosis.target,
        command="probe",
        verdict=diagnosis.verdict.value,
        headline=headline(diagnosis, counted(checks)),
        facts=(("module", checks.name), ("checked", counted(checks))),
        loop=links(diagnosis),
        findings=findings(diagnosis),
        sections=(Section(id="kernels", title="Kernels", blocks=tuple(blocks)), coverage(diagnosis)),
        advice=diagnosis.advice,
    )
