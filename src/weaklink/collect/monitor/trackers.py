"""Numbers and alerts handed on to the tracker that a training uses already, a row a second at most."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from weaklink.base.errors import UsageError
from weaklink.base.finding import Finding
from weaklink.collect.monitor.mailbox import Complain, Mailbox

NAMES = ("wandb", "mlflow", "trackio", "tensorboard")
"""In the order in which the one in use is looked for; TensorBoard cannot be found, only be given."""

PREFIX = "weaklink/"
EVERY = 1.0
TIMEOUT = 20.0
MOST_SETS = 100

PIP = {"mlflow": "mlflow", "wandb": "wandb", "trackio": "trackio", "tensorboard": "torch tensorboard"}


class Tracker(Protocol):
    """What an adapter makes of a tracker."""

    def numbers(self, step: float, numbers: Mapping[str, float]) -> None:
        """Logs a row."""

    def alert(self, finding: Finding) -> None:
        """Raises an alert."""

    def close(self) -> None:
        """Lets go of what weaklink itself opened."""


Finder = Callable[[], Tracker | None]
"""Gives the tracker once there is one; asked in the thread of the training, because some know their run only there."""


def find_tracker(choice: Any = "auto", folder: str | os.PathLike[str] | None = None) -> Finder | None:
    """How to find the tracker that is meant, for `Forwarding`.

    Args:
        choice: `auto` for whichever is in use, `none`, the name of one, a run of W&B, MLflow or Trackio, a TensorBoard
            writer, a path for TensorBoard, or an object with `numbers`, `alert` and `close`.
        folder: where TensorBoard's own writer is to write, where it is asked for by name.

    Raises:
        UsageError: none of these, or a tracker that is not installed.
    """
    if choice is None or choice == "none":
        return None
    if choice == "auto":
        return _find_tracker_in_use
    if isinstance(choice, str):
        return make_finder(choice, folder)
    if isinstance(choice, os.PathLike):
        return make_finder("tensorboard", choice)
    if all(hasattr(choice, part) for part in ("numbers", "alert", "close")):
        return lambda: choice
    package = type(choice).__module__.partition(".")[0]
    name = "tensorboard" if hasattr(choice, "add_scalar") else package
    if name in NAMES:
        return _make_fixed_finder(name, choice)
    raise UsageError(f"{_describe_choices()}, not a {type(choice).__name__}.")


def make_finder(name: str, folder: str | os.PathLike[str] | None = None) -> Finder:
    """How to find the tracker of this name.

    Raises:
        UsageError: there is none of this name, it is not installed, or TensorBoard was given no folder.
    """
    if name not in NAMES:
        raise UsageError(f"{_describe_choices()}, not {name!r}.")
    needed = "torch" if name == "tensorboard" else name
    if find_spec(needed) is None:
        raise UsageError(f"{name} is not installed: pip install {PIP[name]}.")
    if name != "tensorboard":
        return partial(_make_if_in_use, name)
    if folder is None:
        raise UsageError("TensorBoard needs its writer or a folder: give a SummaryWriter, or a pathlib.Path.")
    return _make_fixed_finder(name, Path(folder))


class TrackerForwarder:
    """Hands rows and alerts on in the background; a tracker that raises rests a while, one that hangs gets no more.

    Of the rows that hold the same metrics the newest of each second is sent, under `weaklink/`. The tracker is looked
    for at once, and then with each row until it is found.

    Args:
        find: as `tracker_from` gives it; None forwards nothing.
        complain: is told in one line that the tracker failed, or was given up on.
    """

    def __init__(self, find: Finder | None, complain: Complain | None = None) -> None:
        self._find = find
        self._complain = complain
        self._tracker: Tracker | None = None
        self._box: Mailbox | None = None
        self._newest: dict[tuple[str, ...], tuple[float, dict[str, float]]] = {}
        self._alerts: list[Finding] = []
        self._due = float("-inf")
        self._pid = os.getpid()
        self._look()

    def numbers(self, step: float, numbers: Mapping[str, float]) -> None:
        """Takes a row; returns at once."""
        if self._find is None or not numbers or os.getpid() != self._pid:
            return
        if len(self._newest) < MOST_SETS:
            self._newest[tuple(numbers)] = (step, dict(numbers))
        now = time.monotonic()
        if now >= self._due:
            self._due = now + EVERY
            self._hand_over()

    def tell(self, finding: Finding, run: str = "") -> None:
        """Takes an alert; returns at once. It waits where the tracker's run has not begun yet."""
        if self._find is None or os.getpid() != self._pid:
            return
        self._alerts.append(finding)
        self._hand_over()

    def close(self, wait: float = 2.0) -> float:
        """Sends what is left, for at most so many seconds; how many of them are left."""
        if self._find is None or os.getpid() != self._pid:
            return wait
        self._hand_over()
        self._find = None
        if self._box is None or self._tracker is None:
            return wait
        self._box.put(self._tracker.close)
        return self._box.close(wait)

    def _hand_over(self) -> None:
        if self._tracker is None and self._find is not None:
            self._look()
        if self._box is not None:
            self._box.put(self._send)

    def _look(self) -> None:
        try:
            self._tracker = self._find() if self._find is not None else None
        except Exception as error:
            self._find = None
            if self._complain is not None:
                with suppress(Exception):
                    self._complain(f"No tracker is told: {type(error).__name__}: {str(error)[:200]}")
        if self._tracker is not None:
            name = type(self._tracker).__module__.rpartition("tracker_")[2]
            self._box = Mailbox(f"the tracker {name}", timeout=TIMEOUT, complain=self._complain)

    def _send(self) -> None:
        """In the thread: what has come since, in the order of the steps."""
        tracker = self._tracker
        if tracker is None:
            return
        rows = []
        while self._newest:
            rows.append(self._newest.popitem()[1])
        for step, row in sorted(rows, key=lambda one: one[0]):
            tracker.numbers(step, {f"{PREFIX}{name}": value for name, value in row.items()})
        while self._alerts:
            tracker.alert(self._alerts.pop(0))


def _find_tracker_in_use() -> Tracker | None:
    return next((found for name in NAMES if (found := _make_if_in_use(name)) is not None), None)


def _make_if_in_use(name: str) -> Tracker | None:
    adapter = _load_adapter(name)
    if not adapter.in_use():
        return None
    tracker: Tracker = adapter.Tracker()
    return tracker


def _make_fixed_finder(name: str, target: Any) -> Finder:
    """The tracker for a target that was given."""
    return lambda: _load_adapter(name).Tracker(target)


def _load_adapter(name: str) -> Any:
    return import_module(f"weaklink.adapters.trackers.{name}")


def _describe_choices() -> str:
    return f"A tracker is auto, none, {', '.join(NAMES)}, a run or a TensorBoard writer"
