"""The run so far, in bounded memory, judged again and again while it grows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from weaklink.base.evidence.gaps import Gap, add_gap
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding, Level
from weaklink.collect.monitor.judging import LiveJudge
from weaklink.collect.readers.raw import RawLog, assemble

FRESH_STEPS = 2
"""How many steps of the log must have come between the two looks that an alarm needs; a step can have many rows."""

LASTING = 0.05
"""The share of the run up to now over which a fault must have been seen: returns dip and come back."""


class LiveRun:
    """What a run has logged up to now, and which of its faults have lasted.

    A log that is young looks ill more often than an old one, and a return that dips for a while is no fault, so a
    finding counts once every look over a twentieth of the run, and two at least, has shown it. `urgent` says that a
    metric has just lost its first number: that is judged at once.
    """

    def __init__(self, name: str, config: Mapping[str, Any], judge: LiveJudge) -> None:
        self._raw = RawLog(name=name, source=name, framework="weaklink")
        self._config = config
        self._judge = judge
        self._gaps: list[Gap] = []
        self._not_finite: set[str] = set()
        self._lock = threading.Lock()
        self._suspected: dict[str, tuple[float, int]] = {}
        self._step, self._steps = 0.0, 0
        self.rows = 0
        self.judged_at = 0
        self.urgent = False

    def add(self, step: float, time: float, numbers: Mapping[str, float]) -> None:
        """Adds a row."""
        with self._lock:
            self.rows += 1
            self._steps += step > self._step or not self._steps
            self._step = max(self._step, step)
            for name, value in numbers.items():
                self._raw.column(name).add(step, value, time)
                if not isfinite(value) and name not in self._not_finite:
                    self._not_finite.add(name)
                    self.urgent = True

    def add_gap(self, gap: Gap) -> None:
        """Adds a stretch in which nothing was measured."""
        with self._lock:
            add_gap(self._gaps, gap)

    def run(self) -> Run:
        """The run up to now."""
        with self._lock:
            self._raw.config = dict(self._config)
            return replace(assemble(self._raw), gaps=tuple(self._gaps))

    def alarms(self) -> Iterator[Finding]:
        """The faults that have lasted; a fault that goes away starts anew when it comes back."""
        self.urgent, self.judged_at, step, steps = False, self.rows, self._step, self._steps
        judged = self._judge.judge_run(self.run())
        found = [one for one in judged.findings if one.severity >= Level.WARN and one.consequence_of is None]
        present = {one.code for one in found}
        self._suspected = {code: since for code, since in self._suspected.items() if code in present}
        for finding in found:
            began, already = self._suspected.setdefault(finding.code, (step, steps))
            lasted = steps - already >= FRESH_STEPS and step - began >= LASTING * step
            if finding.code in judged.settled or lasted:
                yield finding
