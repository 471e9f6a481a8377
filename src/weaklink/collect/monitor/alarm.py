"""Alerts: each fault is told once at each level, recorded, sent on, and the first fatal one remembered."""

from __future__ import annotations

import threading

from weaklink.base.finding import Finding, Level, encode_finding
from weaklink.collect.monitor.recorder import Recorder
from weaklink.collect.monitor.sinks import Sinks


class Alarm:
    """What was told so far. `fatal` is the first alert of level error, where such a one should end the training."""

    def __init__(self, run: str, recorder: Recorder, sinks: Sinks, *, stops: bool) -> None:
        self._run = run
        self._recorder = recorder
        self._sinks = sinks
        self._stops = stops
        self._lock = threading.Lock()
        self.told: list[Finding] = []
        self.fatal: Finding | None = None

    def tell(self, finding: Finding) -> None:
        """Tells a finding unless its like was told before; one that became an error since is told again."""
        with self._lock:
            alike = [other for other in self.told if other.code == finding.code]
            if any(other.severity >= finding.severity for other in alike):
                return
            self.told = [*(other for other in self.told if other not in alike), finding]
            if self._stops and self.fatal is None and finding.severity >= Level.ERROR:
                self.fatal = finding
        self._recorder.add("finding", encode_finding(finding))
        self._sinks.tell(finding, self._run)

    def close(self) -> None:
        """Lets the sinks finish."""
        self._sinks.close()

    @property
    def healthy(self) -> bool:
        """Whether nothing was told."""
        return not self.told
