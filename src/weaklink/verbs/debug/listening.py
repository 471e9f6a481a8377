"""Who hears how far a case is."""

from __future__ import annotations

from typing import Protocol

from weaklink.verbs.debug.case import StageResult


class StageListener(Protocol):
    """Told when a stage begins, what it does, and what it came to."""

    def begins(self, stage: str, seconds: float) -> None:
        """A stage begins, which may take so long; 0 where it takes no time."""

    def doing(self, what: str) -> None:
        """What is being done."""

    def ended(self, result: StageResult) -> None:
        """A stage has ended."""


class SilentListener:
    """Nobody listens."""

    def begins(self, stage: str, seconds: float) -> None:
        """Nothing is said."""

    def doing(self, what: str) -> None:
        """Nothing is said."""

    def ended(self, result: StageResult) -> None:
        """Nothing is said."""
