"""The run so far, in bounded memory, judged again and again while it grows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.diagnosis.diagnosis import Diagnosis
from weaklink.diagnosis.engine import diagnose
from weaklink.diagnosis.settings import Settings
from weaklink.evidence.run import Run
from weaklink.finding import Finding, Level
from weaklink.readers.raw import RawLog, assemble

AT_ONCE = frozenset({"OPT300", "OPT301"})
"""Illnesses that one look settles: a number that is none does not get better by waiting."""

FRESH_ROWS = 2
"""How many rows must have come between the two looks that an alarm needs."""


class Live:
    """What a run has logged up to now, and which of its illnesses have lasted.

    A log that is young looks ill more often than an old one, so a finding counts once two looks in a row, with new rows
    between them, have shown it.
    """

    def __init__(self, name: str, config: Mapping[str, Any], settings: Settings) -> None:
        self._raw = RawLog(name=name, source=name, framework="weaklink")
        self._config = config
        self._settings = settings
        self._lock = threading.Lock()
        self._suspected: dict[str, int] = {}
        self.rows = 0
        self.judged_at = 0

    def add(self, step: float, time: float, numbers: Mapping[str, float]) -> None:
        """Adds a row."""
        with self._lock:
            self.rows += 1
            for name, value in numbers.items():
                self._raw.column(name).add(step, value, time)

    def run(self) -> Run:
        """The run up to now."""
        with self._lock:
            self._raw.config = dict(self._config)
            return assemble(self._raw)

    def judged(self) -> Diagnosis:
        """What the rules say of the run up to now."""
        return diagnose(self.run(), self._settings)

    def alarms(self) -> Iterator[Finding]:
        """The illnesses that have lasted; an illness that goes away starts anew when it comes back."""
        self.judged_at = rows = self.rows
        found = [one for one in self.judged().findings if one.severity >= Level.WARN and one.consequence_of is None]
        present = {one.code for one in found}
        self._suspected = {code: since for code, since in self._suspected.items() if code in present}
        for finding in found:
            since = self._suspected.setdefault(finding.code, rows)
            if finding.code in AT_ONCE or rows - since >= FRESH_ROWS:
                yield finding
