"""What can be wrong with the use of weaklink, as opposed to with the training.

    WeaklinkError                 every error of this package; the command line turns it into exit code 2
    ├── UsageError                a wrong argument, option or setting
    │   ├── UnknownRule           a code or name that no rule has
    │   └── NoDocstrings          a Python that leaves docstrings out
    └── ReadError                 a log that cannot be read
        ├── NoReader              no reader knows the path
        ├── EmptyLog              a known format that holds no number
        ├── CorruptLog            a known format that is damaged beyond the part already read
        └── TooLarge              a file that asks for more than any log does (base/limits.py)

A message gives the requirement, the value, the place and the cure.
"""

from __future__ import annotations

LONGEST_MESSAGE = 1200
"""Characters of a message: the value that it quotes can be a whole file."""


class WeaklinkError(Exception):
    """Every error of this package."""

    def __init__(self, message: str = "") -> None:
        half = LONGEST_MESSAGE // 2
        super().__init__(message if len(message) <= LONGEST_MESSAGE else f"{message[:half]} ... {message[-half:]}")


class UsageError(WeaklinkError):
    """A wrong argument, option or setting."""


class UnknownRule(UsageError):
    """A code or name that no rule has."""


class NoDocstrings(UsageError):
    """A Python that leaves docstrings out: the pages of the rules are docstrings."""

    def __init__(self) -> None:
        super().__init__(
            "weaklink needs docstrings, of which the pages of its rules are made; python -OO or PYTHONOPTIMIZE=2 "
            "leaves them out. Start it with python or python -O."
        )


class ReadError(WeaklinkError):
    """A log that cannot be read."""


class NoReader(ReadError):
    """No reader knows the path."""


class EmptyLog(ReadError):
    """A known format that holds no number."""


class CorruptLog(ReadError):
    """A known format that is damaged beyond the part already read."""


class TooLarge(ReadError):
    """A file that asks for more memory than any log does."""
