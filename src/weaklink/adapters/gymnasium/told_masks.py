"""Which choices an environment calls valid, as it tells a trainer beside each observation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from weaklink.base.evidence.masking import MASK_KEYS
from weaklink.base.evidence.rollout import Array


class MaskReader:
    """Reads the masks of one environment or vector; where the first observation comes with none, none is looked for.

    Attributes:
        now: (members, choices) the mask of the present observation; None where there is none.
    """

    def __init__(self, members: int, *, vector: bool) -> None:
        self._members, self._dimensions = members, 2 if vector else 1
        self._key: tuple[int, Any] | None = None
        self._looks = True
        self.now: Array | None = None

    def look(self, observation: Any, info: Any) -> None:
        """Reads the mask that came with an observation. This runs at every step."""
        if not self._looks:
            return
        places = observation, info
        if self._key is None:
            self._key = self._find(places)
            self._looks = self._key is not None
        self.now = None if self._key is None else self._read(places[self._key[0]], self._key[1])

    def _find(self, places: tuple[Any, ...]) -> tuple[int, Any] | None:
        for number, place in enumerate(places):
            for key in place if isinstance(place, Mapping) else ():
                if MASK_KEYS.search(str(key)) and self._read(place, key) is not None:
                    return number, key
        return None

    def _read(self, place: Any, key: Any) -> Array | None:
        """(members, choices) where a key holds a yes or no for each of several choices."""
        told = np.zeros(0)
        with suppress(Exception):  # what a stranger keeps under such a name may be anything
            told = np.asarray(place[key])
        if told.dtype.kind not in "biuf" or told.ndim != self._dimensions or told.size < 2 * self._members:
            return None
        mask = told.reshape(self._members, -1)
        return mask.astype(bool) if mask.dtype == bool or np.all((mask == 0) | (mask == 1)) else None
