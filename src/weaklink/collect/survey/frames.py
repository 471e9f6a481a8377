"""Stacked frames: are they really different moments?"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array

FEWEST = 30
"""Observations to compare, and a third of them different: fewer may be equal because nothing moves."""

MOST_FRAMES = 8
"""Blocks along an axis that are taken for frames; more are rows or columns of a board or of a picture."""


def count_equal_frames(observations: Sequence[Any], ages: Sequence[int]) -> int | None:
    """How many blocks of the observation are equal in every step; 0 where none are, None where that cannot be known.

    `ages` counts the steps of the episode before each: until a stack has been filled, what stood in it before the first
    frame, zeros as a rule, is another frame, and these steps are left out.
    """
    arrays = [value for value in observations if isinstance(value, np.ndarray)]
    if len(arrays) < FEWEST or len(arrays) < len(observations) or len({array.shape for array in arrays}) > 1:
        return None
    if len({array.tobytes() for array in arrays}) < FEWEST // 3:
        return None
    split = _split_frames(np.array(arrays))
    return max((frames.shape[1] for frames in split if _are_equal(frames, np.asarray(ages))), default=0)


def holds_frames(environment: object, count: int | None) -> bool:
    """Whether one of its attributes is a list of just so many arrays of one shape, as that of a stack is."""
    for value in vars(environment).values() if count and hasattr(environment, "__dict__") else ():
        if isinstance(value, list | tuple | deque) and len(value) == count:
            shapes = {getattr(one, "shape", None) for one in value}
            if len(shapes) == 1 and shapes <= {one.shape for one in value if isinstance(one, np.ndarray)}:
                return True
    return False


def _split_frames(rows: Array) -> Iterator[Array]:
    """The observations split into frames, which stand along the second axis, in every way that a stack may have."""
    shape = rows.shape[1:]
    if len(shape) == 1:
        counts = (count for count in range(2, MOST_FRAMES + 1) if shape[0] % count == 0 and shape[0] >= 2 * count)
        yield from (rows.reshape(len(rows), count, -1) for count in counts)
    elif shape:
        axes = {1: shape[0], rows.ndim - 1: shape[-1]}
        yield from (np.moveaxis(rows, axis, 1) for axis, count in axes.items() if 2 <= count <= MOST_FRAMES)


def _are_equal(frames: Array, ages: NDArray[np.int64]) -> bool:
    """Whether all blocks are equal in every step, or wherever a stack of so many is full, in steps enough."""
    if np.all(frames == frames[:, :1]):
        return True
    full = frames[ages >= frames.shape[1] - 1]
    if len(full) < FEWEST or len(np.unique(full.reshape(len(full), -1), axis=0)) < FEWEST // 3:
        return False
    return bool(np.all(full == full[:, :1]))
