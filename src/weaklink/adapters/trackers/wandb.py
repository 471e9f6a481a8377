"""Weights & Biases: numbers and alerts into the run that is going on.

Rows are added with `commit=False`: they go out with the next row of the user's own. A committed row would move W&B's
step on, and whatever the user then logs at the step before is thrown away. The training's step goes along as
`weaklink/step` and is the axis of all these metrics.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from weaklink.base.finding import Finding

STEP = "weaklink/step"
LONGEST_TITLE = 63


def in_use() -> bool:
    """Whether a run is going on."""
    return _find_current_run() is not None


class Tracker:
    """Logs into one run, and nowhere once that has ended.

    Args:
        run: the run; the current one where none is given.
    """

    def __init__(self, run: Any = None) -> None:
        self._run = run if run is not None else _find_current_run()
        self._given = run is not None
        self._defined = False

    def numbers(self, step: float, numbers: Mapping[str, float]) -> None:
        """Adds a row to the run's next."""
        if not self._goes_on():
            return
        if not self._defined:
            self._defined = True
            self._run.define_metric(STEP, hidden=True)
            self._run.define_metric("weaklink/*", step_metric=STEP)
        self._run.log({**numbers, STEP: step}, commit=False)

    def alert(self, finding: Finding) -> None:
        """Raises an alert of the finding's level."""
        if self._goes_on():
            title = f"{finding.code} {finding.name}".strip()[:LONGEST_TITLE]
            self._run.alert(title=title, text=finding.message, level=finding.severity.name)

    def close(self) -> None:
        """Leaves the run to its owner."""

    def _goes_on(self) -> bool:
        ended = self._run is None or getattr(self._run, "_is_finished", False)
        return not ended and (self._given or _find_current_run() is self._run)


def _find_current_run() -> Any:
    return getattr(sys.modules.get("wandb"), "run", None)
