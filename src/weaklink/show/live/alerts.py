"""What a browser is told at once, beside the page that shows it."""

from __future__ import annotations

import msgspec

from weaklink.show.text import shorten
from weaklink.verbs.watch.events import Event, EventKind

LONGEST_MESSAGE = 1000


class LiveAlert(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to a run just now: a `finding` that came, or one that is no longer seen (`gone`)."""

    kind: str
    time: float
    run: str
    page: str
    code: str
    name: str
    link: str
    level: str
    message: str


def make_alert(event: Event, page: str) -> LiveAlert | None:
    """The alert that an event is; None where it is none."""
    finding = event.finding
    if finding is None or event.kind not in (EventKind.FINDING, EventKind.GONE):
        return None
    return LiveAlert(
        kind=event.kind.value,
        time=round(event.time, 3),
        run=event.target,
        page=page,
        code=finding.code,
        name=finding.name,
        link="" if finding.link is None else finding.link.value,
        level=finding.severity.word,
        message=shorten(finding.message, LONGEST_MESSAGE),
    )
