"""Trackio: numbers and alerts into the current run.

A row goes in at the step that the user logged last, so that the run's own count does not move; the training's step
goes along as `weaklink/step`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from weaklink.base.finding import Finding

STEP = "weaklink/step"


def in_use() -> bool:
    """Whether a run is going on in this thread."""
    return _find_current_run() is not None


class Tracker:
    """Logs into one run, and nowhere once that has ended.

    Args:
        run: the run; the current one where none is given.
    """

    def __init__(self, run: Any = None) -> None:
        self._run = run if run is not None else _find_current_run()
        self._level = import_module("trackio").AlertLevel

    def numbers(self, step: float, numbers: Mapping[str, float]) -> None:
        """Logs a row."""
        if self._goes_on():
            upcoming = getattr(self._run, "_next_step", None)
            at = int(step) if upcoming is None else max(upcoming - 1, 0)
            self._run.log({**numbers, STEP: step}, step=at)

    def alert(self, finding: Finding) -> None:
        """Raises an alert of the finding's level."""
        if self._goes_on():
            title = f"{finding.code} {finding.name}".strip()
            self._run.alert(title=title, text=finding.message, level=self._level(finding.severity.word))

    def close(self) -> None:
        """Leaves the run to its owner."""

    def _goes_on(self) -> bool:
        stopped = getattr(self._run, "_stop_flag", None)
        return self._run is not None and not (stopped is not None and stopped.is_set())


def _find_current_run() -> Any:
    known = sys.modules.get("trackio.context_vars")
    return known.current_run.get() if known is not None else None
