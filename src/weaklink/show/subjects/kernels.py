"""A module whose kernels were checked: its functions against right answers."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.base.evidence.kernels import RIGHT, UNCLEAR, WRONG, KernelChecks
from weaklink.show.document import Page, Section, Table, TableRow
from weaklink.show.subjects.coverage import show_coverage
from weaklink.show.subjects.judged import build_judged, record_diagnosis
from weaklink.show.text import count_noun
from weaklink.verbs.kernels import CheckedKernels

COMMAND = "probe"
VERDICTS = {RIGHT: ("ok", "clean"), WRONG: ("WRONG", "broken"), UNCLEAR: ("not judged", "unknown")}
"""The word and the state of each verdict."""

MOST_NAMED = 8


def build(checked: CheckedKernels, *, id: str = "kernels") -> Page:
    """Functions against right answers."""
    checks, diagnosis = checked.checks, checked.diagnosis
    rows = []
    for check in checks.checks:
        word, state = VERDICTS[check.verdict]
        rows.append(TableRow(cells=(check.kernel, check.place, word, check.told, check.smallest), state=state))
    columns = ("kernel", "function", "verdict", "what was seen", "smallest failing case")
    table = Table(title="Kernels", columns=columns, rows=tuple(rows), names=(0, 1), narrow=(2, 0, 3), listed=True)
    right = sum(check.verdict == RIGHT for check in checks.checks)
    counted = f"{right} of {count_noun(len(checks.checks), 'kernel')} right"
    return build_judged(
        diagnosis,
        id=id,
        title=checks.name or diagnosis.target,
        command=COMMAND,
        reason=counted,
        facts=[("module", checks.name), ("checked", counted)],
        sections=[Section(id="kernels", title="Kernels", blocks=(table,) if rows else ())],
        coverage=show_coverage(diagnosis, remarks=_list_remarks(checks)),
    )


def record(checked: CheckedKernels) -> dict[str, Any]:
    """The diagnosis with every kernel, under the keys of the contract."""
    checks, diagnosis = checked.checks, checked.diagnosis
    kernels = [{**msgspec.to_builtins(check), "place": check.place} for check in checks.checks]
    return {**record_diagnosis(diagnosis), "kernels": kernels, "unrecognised": list(checks.unrecognised)}


def _list_remarks(checks: KernelChecks) -> list[str]:
    named = ", ".join(checks.unrecognised[:MOST_NAMED])
    more = f" and {len(checks.unrecognised) - MOST_NAMED} more" if len(checks.unrecognised) > MOST_NAMED else ""
    told = f"Not recognised by name: {named}{more}. WEAKLINK_KERNELS = {{'gae': function}} in the module names them."
    return [told] if checks.unrecognised else []
