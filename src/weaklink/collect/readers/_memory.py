"""What readers of growing files remember of the last time, so that only what was added since has to be read."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

Made = TypeVar("Made")


class ReadingMemory(Protocol):
    """Asked before a file is read, and told when all of its whole lines or records were taken."""

    def recall(self, path: Path, kind: type[Made]) -> tuple[int, Made] | None:
        """How many bytes of a file were read, which still begins with them, and what was made of them by then.

        None where it must be read from its start, or what was made is of another kind.
        """

    def keep(self, path: Path, place: int, made: object) -> None:
        """Keeps a copy of what was made of the first bytes of a file."""


class NoMemory:
    """Every file is read from its start."""

    def recall(self, path: Path, kind: type[Made]) -> tuple[int, Made] | None:
        """Nothing."""
        return None

    def keep(self, path: Path, place: int, made: object) -> None:
        """Nothing is kept."""


NO_MEMORY = NoMemory()
