"""A wrapper as evidence: what goes into it against what comes out of it, step by step."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array


class WrapperLayer(msgspec.Struct, frozen=True, kw_only=True):
    """One wrapper of an environment over some episodes of random play; every array has one row for each outer step.

    `package` is where the wrapper comes from, `inside` where the innermost environment does. `times` counts the steps
    of an episode as it is seen from outside, from 0. `paid_in` is the sum of what the steps inside paid and `paid_last`
    what the last of them did; they differ where one step outside is several inside. `ended_in` and `ended_out` say how
    the episode ended there: 0 not at all, else as `Play.ends`. Actions are flattened, and empty where they are no
    arrays of the same size. `bounds` are the lowest and the highest actions that the layer inside takes, a row each,
    and empty where it has none. `stale` counts observations that are those of a step before, outside or inside, where
    the present one differs (`moved` in all). `silenced` are the columns of an array that change inside and never
    outside, `clipped` those that are cut off at a bound in this share of the steps. `starts_in` and `starts_out` count
    the different first observations of episodes inside and outside.
    """

    name: str
    package: str
    inside: str
    times: NDArray[np.int64]
    paid_in: Array
    paid_last: Array
    paid_out: Array
    ended_in: NDArray[np.int64]
    ended_out: NDArray[np.int64]
    actions_in: Array
    actions_out: Array
    bounds: Array = np.empty((0, 0))
    stale: int = 0
    moved: int = 0
    silenced: tuple[int, ...] = ()
    clipped: tuple[tuple[int, float], ...] = ()
    starts_in: int = 0
    starts_out: int = 0

    @property
    def steps(self) -> int:
        """How many steps were made outside."""
        return len(self.paid_out)
