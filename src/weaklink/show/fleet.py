"""Many runs side by side: what each view of a fleet says of each run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

import msgspec

from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show import wording
from weaklink.show.layout import Page, Span
from weaklink.show.text import several, step
from weaklink.verbs.diagnose import Result, failures, folder_of
from weaklink.verbs.targets import Failure

HEAD = ("run", "verdict", "first break", "worst", "judged")
UNREADABLE = "unreadable"


class Row(msgspec.Struct, frozen=True):
    """One run of a fleet in words."""

    run: str
    verdict: str
    first_break: str
    worst: str
    judged: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The words in the order of HEAD."""
        return self.run, self.verdict, self.first_break, self.worst, self.judged


def rows(results: Sequence[Result]) -> tuple[str, list[Row]]:
    """The folder that all runs lie in, if there is one, and a row for each of them by its name below it."""
    folder = folder_of(results)
    return folder, [_row(result, folder) for result in results]


def counted(results: Sequence[Result]) -> str:
    """`12 runs: 3 broken, 8 healthy, 1 unreadable`."""
    words = Counter(UNREADABLE if isinstance(result, Failure) else result.verdict.value for result in results)
    parts = [f"{words[word]} {word}" for word in ("broken", "unclear", "healthy", UNREADABLE) if words[word]]
    return f"{several(len(results), 'run')}: {', '.join(parts) or 'nothing was judged'}"


def summary(
    results: Sequence[Result], page: Page, together: Diagnosis | None = None, symptom: Symptom | None = None
) -> Page:
    """Writes the table of a fleet for a terminal, and what its runs say taken together."""
    folder, table = rows(results)
    page.text((counted(results), "strong"))
    if folder:
        page.text((f"in {folder}", "dim"))
    page.gap()
    page.table(HEAD, [_styled(row) for row in table], stretch=0)
    failed = failures(results)
    if failed:
        page.gap()
        page.line(("Could not be read", "strong"))
    for failure in failed:
        page.text((failure.message, ""), indent=2, hang=2)
    if together is not None:
        _as_a_whole(together, page)
    if symptom is not None:
        page.gap()
        page.line((f"You see: {symptom.name}", "strong"))
        names = symptom.rule_names()
        listed = ", ".join(f"{code} {names[code]}" for code in symptom.codes)
        page.text((f"Look at {listed} first. {symptom.advice}", ""), indent=2)
    if len(failed) < len(results):
        page.gap()
        page.text(("The full report of a run: weaklink diagnose and its path alone.", "dim"))
    return page


def _as_a_whole(together: Diagnosis, page: Page) -> None:
    page.gap()
    page.line(("The runs taken together", "strong"))
    for finding in together.findings:
        level = finding.severity.word
        page.text(
            (level, level),
            (f"  {finding.code} {finding.name}", "strong"),
            (f"  {finding.message}", ""),
            indent=2,
            hang=2,
        )
        for item in finding.fix[:1]:
            page.text(("To do: ", "dim"), (item, ""), indent=4, hang=2)


def _styled(row: Row) -> list[Span]:
    return [
        (row.run, ""),
        (row.verdict, row.verdict),
        (row.first_break, ""),
        (row.worst, row.worst),
        (row.judged, "dim"),
    ]


def _row(result: Result, folder: str) -> Row:
    name = os.path.relpath(result.target, folder) if folder else result.target
    if isinstance(result, Failure):
        return Row(name, UNREADABLE, "", "", "")
    broke = result.first_break
    finding = wording.first_finding(result)
    placed = broke is not None and not (finding is not None and wording.throughout(finding, result))
    place = "" if broke is None or broke.step is None or not placed else f" @ {step(broke.step)}"
    first = "" if broke is None else f"{broke.link.value} {broke.code}{place}"
    worst = "" if result.worst is None else result.worst.word
    return Row(name, result.verdict.value, first, worst, f"{result.judged}/{result.asked}")
