"""TensorBoard: numbers and alerts through the user's writer, or through one of our own beside the user's files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from weaklink.base.finding import Finding

BESIDE = "weaklink"
"""The folder below the one given; a second writer in the same folder would look like a second start of the run."""


def in_use() -> bool:
    """Never known: TensorBoard keeps no list of its writers."""
    return False


class Tracker:
    """Writes scalars, and alerts as text.

    Args:
        target: a SummaryWriter, or the folder of the log.
    """

    def __init__(self, target: Any) -> None:
        self._folder = Path(target) / BESIDE if isinstance(target, str | os.PathLike) else None
        self._given = target if self._folder is None else None
        self._step = 0

    @cached_property
    def _writer(self) -> Any:
        """Made when first used, in the background: TensorBoard takes seconds to load."""
        if self._folder is None:
            return self._given
        return import_module("torch.utils.tensorboard").SummaryWriter(str(self._folder))

    def numbers(self, step: float, numbers: Mapping[str, float]) -> None:
        """Writes one scalar a metric."""
        self._step = int(step)
        for name, value in numbers.items():
            self._writer.add_scalar(name, float(value), self._step)
        if self._folder is not None:
            self._writer.flush()

    def alert(self, finding: Finding) -> None:
        """Writes a text under the finding's code."""
        text = f"**{finding.severity.word}** {finding.name}: {finding.message}"
        self._writer.add_text(f"weaklink/alert/{finding.code}", text, self._step)
        self._writer.flush()

    def close(self) -> None:
        """Closes the writer where it is our own."""
        if self._folder is None:
            self._writer.flush()
        elif "_writer" in vars(self):
            self._writer.close()
