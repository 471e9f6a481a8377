"""How many of the last samples have a mark, and how that changed."""

from __future__ import annotations

from dataclasses import dataclass

from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, select_complete
from weaklink.judge.rules._samples import LIKELY, MeanShift, find_onset, select_settled, split


@dataclass(frozen=True, eq=False)
class MarkedShare:
    """The share of the last rows with a mark (of all, where it does not change), its error, and how it changed."""

    name: str
    rows: Samples
    late: Samples
    share: float
    error: float
    shift: MeanShift | None

    def over(self, limit: float) -> bool:
        """Whether the share is above a limit, beyond chance."""
        return self.share - LIKELY * self.error > limit

    @property
    def rose(self) -> bool:
        """Whether it grew during training, beyond chance."""
        return self.shift is not None and self.shift.rose

    @property
    def since(self) -> str:
        """What it was at the start, for messages; nothing where it did not grow."""
        return f", {self.shift.before:.0%} at the start" if self.shift is not None and self.rose else ""

    @property
    def onset(self) -> float | None:
        """The step from which on it is closer to its end than to its start."""
        return find_onset(self.rows, self.name, self.shift) if self.shift is not None and self.rose else None


def measure_marked(samples: Samples, name: str, *others: str) -> MarkedShare | CannotTell:
    """Measures a mark over the rows that have it and these other columns."""
    rows = select_complete(samples, name, *others)
    late = select_settled(rows, name)
    now = average_by_draw(late, name)
    if now is None or len(rows) < 2 * FEWEST_ROWS:
        return CannotTell((name,), f"fewer than {2 * FEWEST_ROWS} rows, or too few draws, say so")
    parts = split(rows, name)
    return MarkedShare(name, rows, late, now.mean, now.error, None if parts is None else parts.shift(name))
