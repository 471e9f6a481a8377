"""Results of verbs as tools answer them: picked from the JSON contract, with the answer in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from pydantic import TypeAdapter

from weaklink.cli.mcp_server.results import (
    AuditResult,
    ConfirmResult,
    DebugResult,
    DiagnoseResult,
    JudgedResult,
    PreflightResult,
    ProbeResult,
    WatchedRun,
    WatchEvent,
)
from weaklink.show.rendering import build_document, write_json

if TYPE_CHECKING:
    from weaklink.judge.diagnosis.diagnosis import Diagnosis
    from weaklink.verbs.audit import Audited
    from weaklink.verbs.confirm.experiment import Answer
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.diagnose import Diagnosed
    from weaklink.verbs.kernels import CheckedKernels
    from weaklink.verbs.preflight import Preflight
    from weaklink.verbs.probe import Probed
    from weaklink.verbs.watch.events import Event, RunStatus

Shape = TypeVar("Shape")

MOST_RUNS = 20
"""Runs of one answer: about what fits beside other things into the context of an agent."""


def answer_diagnose(diagnosed: Diagnosed) -> DiagnoseResult:
    """Every run, broken ones first."""
    from weaklink.judge.diagnosis.diagnosis import Diagnosis

    judged = [one for one in diagnosed.results if isinstance(one, Diagnosis)]
    ordered = sorted(judged, key=lambda one: one.first_break is None)
    return {
        "runs": [_answer_run(one) for one in ordered[:MOST_RUNS]],
        "left_out": max(len(ordered) - MOST_RUNS, 0),
        "together": None if diagnosed.together is None else _answer_run(diagnosed.together),
        "unreadable": [{"target": one.target, "error": one.message} for one in diagnosed.failures],
    }


def answer_preflight(preflight: Preflight, *, everything: bool) -> PreflightResult:
    """An environment."""
    return _pick(PreflightResult, _record(preflight, everything=everything))


def answer_probe(probed: Probed) -> ProbeResult:
    """A trainer."""
    return _pick(ProbeResult, {"kernels": [], **_record(probed)})


def answer_kernels(checked: CheckedKernels) -> ProbeResult:
    """The functions of a module."""
    return _pick(ProbeResult, {"ladder": [], "stopped": False, **_record(checked)})


def answer_audit(audited: Audited) -> AuditResult:
    """Samples, and what was paid for them."""
    record = _record(audited)
    samples, verifier = record["samples"] or {"rows": 0, "faulty": 0}, record["verifier"] or {"kinds": []}
    counted = {"rows": samples["rows"], "faulty": samples["faulty"], "attempts": verifier["kinds"]}
    return _pick(AuditResult, {**record, **counted})


def answer_debug(case: Case) -> DebugResult:
    """A case."""
    return _pick(DebugResult, {**(record := _record(case)), "next": record["next"] or ""})


def answer_confirm(answer: Answer) -> ConfirmResult:
    """An experiment."""
    return _pick(ConfirmResult, _decode(answer))


def answer_status(status: RunStatus) -> WatchedRun:
    """A run that is followed."""
    record = _record(status.diagnosis)
    standing = {"target": status.target, "rate": status.rate, "measure": status.measure, "value": status.value}
    return _pick(WatchedRun, {**record, **standing})


def answer_event(event: Event) -> WatchEvent:
    """What happened to a run that is followed."""
    found = event.finding
    says = event.message if found is None else f"{found.code} {found.name}: {found.message}"
    return {"event": event.kind.value, "target": event.target, "says": says}


def _answer_run(diagnosis: Diagnosis) -> JudgedResult:
    return _pick(JudgedResult, _record(diagnosis))


def _record(result: object, **options: Any) -> dict[str, Any]:
    """The record of something that was judged, with the answer in a sentence and the command to run next."""
    record, page = _decode(result, **options), build_document(result, **options).pages[0]
    first = (one.command for one in page.findings if one.role == "first")
    return {"next": next(first, ""), **record, "says": page.says or page.headline, "blind": len(record["blind"])}


def _decode(result: object, **options: Any) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.json.decode(write_json(result, **options))
    return record


def _pick(shape: type[Shape], record: dict[str, Any]) -> Shape:
    """The keys of a shape, all the way down; the rest of a record is left out."""
    picked: Shape = TypeAdapter(shape).validate_python(record)
    return picked
