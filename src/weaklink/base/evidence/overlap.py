"""Evaluation items as evidence: which of them stand in the training data, and how often their split was looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
import numpy as np

from weaklink.base.evidence.ledger import SplitLooks
from weaklink.base.evidence.series import Array


class SeenItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item that was met in the training data.

    `share` is the part of what is its own that stands in one training row; `place` is that row, `text` how the item
    begins.
    """

    item: str
    text: str
    share: float
    place: str
    exact: bool = False


@dataclass(frozen=True, eq=False)
class Overlap:
    """What training data and evaluation items have in common.

    `shares` has a number an item: the part of its n-grams, those of templates left out, that stand in one and the same
    training row; not a number where an item has nothing of its own. `seen` lists the most overlapping ones. `words` is
    how many words an n-gram has where the item is long enough.
    """

    evaluation: str = ""
    training: str = ""
    rows: int = 0
    words: int = 13
    shares: Array = field(default_factory=lambda: np.empty(0))
    exact: int = 0
    seen: tuple[SeenItem, ...] = ()
    looks: tuple[SplitLooks, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.shares)

    @property
    def judged(self) -> int:
        """How many of them have something of their own that could be looked for."""
        return int(np.isfinite(self.shares).sum())
