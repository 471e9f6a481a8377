"""MLflow: numbers and alerts into the active run, by its id: MLflow knows it only in the thread that began it."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from weaklink.base.finding import Finding

LONGEST_TAG = 500


def in_use() -> bool:
    """Whether a run is active, in this thread or in another."""
    return _find_active_run() is not None


class Tracker:
    """Logs into one run.

    Args:
        run: the run; the active one where none is given.
    """

    def __init__(self, run: Any = None) -> None:
        self._id = (run if run is not None else _find_active_run()).info.run_id
        self._client = import_module("mlflow").MlflowClient()
        self._metric = import_module("mlflow.entities").Metric

    def numbers(self, step: float, numbers: Mapping[str, float]) -> None:
        """Logs a row at the training's step."""
        now = int(time.time() * 1000)
        metrics = [self._metric(name, float(value), now, int(step)) for name, value in numbers.items()]
        self._client.log_batch(self._id, metrics=metrics, synchronous=True)

    def alert(self, finding: Finding) -> None:
        """Sets a tag, which is the nearest that MLflow has to an alert."""
        text = f"{finding.severity.word}: {finding.message}"
        self._client.set_tag(self._id, f"weaklink.alert.{finding.code}", text[:LONGEST_TAG])

    def close(self) -> None:
        """Leaves the run to its owner."""


def _find_active_run() -> Any:
    """The run of this thread, or else the latest of any; older versions of MLflow do not tell of the others."""
    fluent = sys.modules.get("mlflow.tracking.fluent")
    if fluent is None:
        return None
    of_any_thread = getattr(fluent, "_get_latest_active_run", lambda: None)
    return fluent.active_run() or of_any_thread()
