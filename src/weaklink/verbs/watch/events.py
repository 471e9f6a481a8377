"""What there is to tell of runs that are followed."""

from __future__ import annotations

import msgspec

from weaklink.base.backports import StrEnum
from weaklink.base.finding import Finding
from weaklink.judge.diagnosis.diagnosis import Diagnosis


class EventKind(StrEnum):
    """What happened: a run was met, a finding came or went, something is odd, or this is the last word on a run."""

    RUN = "run"
    FINDING = "finding"
    GONE = "gone"
    NOTE = "note"
    VERDICT = "verdict"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to tell of one run, or of a path that is followed.

    `diagnosis` is the one that the finding is out of, or the last one. A verdict without it is about a run that could
    not be read; `message` says why.
    """

    kind: EventKind
    target: str
    time: float
    diagnosis: Diagnosis | None = None
    finding: Finding | None = None
    message: str = ""


class RunStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How one run stands: steps made, steps a second where known, and the last value of its measure of success."""

    target: str
    diagnosis: Diagnosis
    rate: float | None = None
    measure: str = ""
    value: float | None = None
