"""Whether a mask belongs to the observation that it comes with, or to the one of the step before."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.masking import MASK_KEYS
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import make_flattener
from weaklink.base.evidence.survey import Flags

WIDEST = 512
FEWEST = 20
"""States in which an action must be valid, and in which it must be invalid, for a number to tell the two apart."""


class MaskTiming:
    """The observations of a walk beside their masks, episode by episode."""

    def __init__(self, environment: Environment) -> None:
        space = environment.observation
        names = [column.label.partition("[")[0] for column in space.columns] if 0 < space.size <= WIDEST else []
        self._columns = [place for place, name in enumerate(names) if not MASK_KEYS.search(name)]
        self._flat = make_flattener(space)
        self._before: list[Array] = []
        self._after: list[Array] = []
        self._masks: list[Flags] = []
        self._firsts: list[tuple[Array, Flags]] = []
        self._last: Array | None = None

    def begin(self) -> None:
        """What is looked at next is the beginning of an episode."""
        self._last = None

    def look(self, observation: Any, mask: Flags) -> None:
        """Takes a state that is no end of an episode."""
        if not self._columns:
            return
        row = np.array(self._flat(observation), dtype=float).reshape(-1)[self._columns]
        if self._last is None:
            self._firsts.append((row, mask))
        else:
            self._before.append(self._last)
            self._after.append(row)
            self._masks.append(mask)
        self._last = row

    def compare(self) -> tuple[int, int]:
        """How many actions a number of the observation before tells valid, and none of now; and how many one of now.

        What tells it before must tell it of now where an episode begins, for which there is no observation before.
        """
        if not self._masks:
            return 0, 0
        before, after, masks = np.array(self._before), np.array(self._after), np.array(self._masks)
        first, begun = np.array([row for row, _ in self._firsts]), np.array([mask for _, mask in self._firsts])
        late = told = 0
        for action in range(masks.shape[1]):
            valid = masks[:, action]
            if min(int(valid.sum()), int((~valid).sum())) < FEWEST:
                continue
            if _find_telling(after, valid).any():
                told += 1
                continue
            whole = np.concatenate([before, first]), np.concatenate([valid, begun[:, action]])
            late += bool(_find_telling(*whole).any())
        return late, told


def _find_telling(rows: Array, valid: Flags) -> Flags:
    """The columns by which valid and invalid can be told apart without exception: by a limit, or by one value."""
    yes, no = rows[valid], rows[~valid]
    apart = (yes.min(axis=0) > no.max(axis=0)) | (yes.max(axis=0) < no.min(axis=0))
    one = (np.ptp(yes, axis=0) == 0.0) & np.all(no != yes[0], axis=0)
    other = (np.ptp(no, axis=0) == 0.0) & np.all(yes != no[0], axis=0)
    return np.asarray(apart | one | other)
