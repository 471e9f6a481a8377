"""What happens to followed runs as data: one event a line of JSON, described in docs/watch.md."""

from __future__ import annotations

from typing import Any

from weaklink.show.data import document, encoded, envelope, finding_document
from weaklink.verbs.watch.events import Event, Kind


def line(event: Event) -> str:
    """One event as one line of JSON."""
    head = {"event": event.kind.value, "time": round(event.time, 3), "target": event.target}
    return encoded({**envelope("watch"), **head, **_body(event)})


def _body(event: Event) -> dict[str, Any]:
    diagnosis = event.diagnosis
    if diagnosis is None:
        return {"error" if event.kind is Kind.VERDICT else "message": event.message}
    whole = document(diagnosis)
    if event.kind is Kind.VERDICT:
        return {**whole, "target": event.target}
    if event.finding is not None:
        return {"finding": finding_document(event.finding), "steps": whole["steps"], "verdict": whole["verdict"]}
    return {"framework": whole["framework"], "steps": whole["steps"]}
