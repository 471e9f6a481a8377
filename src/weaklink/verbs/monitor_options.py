"""What a monitor is told when it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

from weaklink.base.errors import UsageError
from weaklink.base.finding import Finding

CONTINUE, STOP = "continue", "stop"
"""What a monitor does at an alert of level error."""

BUDGET = 0.01
"""The share of the training's time that a monitor may use."""


class MonitorOptions(TypedDict, total=False):
    """What `attach` hands on to the monitor that it makes; see `Monitor`."""

    config: Mapping[str, Any] | None
    name: str
    on_error: str
    sinks: Iterable[str | Callable[[Finding], object]]
    tracker: Any
    budget: float
    looks: int
    select: Iterable[str]
    ignore: Iterable[str]
    thresholds: Mapping[str, Mapping[str, Any]] | None
    evaluation: Mapping[str, Any] | None
    checkpoints: bool | None


def check_options(on_error: str, budget: float) -> None:
    """Refuses what no monitor takes.

    Raises:
        UsageError: one of them makes no sense.
    """
    if on_error not in (CONTINUE, STOP):
        raise UsageError(f"on_error is '{CONTINUE}' or '{STOP}', not {on_error!r}.")
    if not 0.0 < budget <= 1.0:
        raise UsageError(f"budget is a share of the time, such as 0.01, not {budget!r}.")
