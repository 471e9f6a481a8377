"""The calls of one head joined, a row each, beside the minibatch that each row was part of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall

ROUNDING = float(np.finfo(np.float32).eps)
"""Outputs and gradients come from 32-bit arithmetic."""


@dataclass(frozen=True, slots=True, eq=False)
class JoinedCalls:
    """Rows of several calls, one below the other, in double precision.

    Attributes:
        rows: (n,) the row on the tape, or -1.
        batches: (n,) the number of the call.
        sizes: (n,) how many rows that call had.
        steps: (n,) the optimizer step of that call.
        outputs: (n, k).
        asked: (n, k) the gradient times the rows of its call: a mean over a minibatch of any size gives the same.
    """

    rows: Array
    batches: Array
    sizes: Array
    steps: Array
    outputs: Array
    asked: Array

    def take(self, kept: Array) -> JoinedCalls:
        """Some of the rows."""
        return JoinedCalls(*(getattr(self, name)[kept] for name in self.__slots__))


def join_calls(calls: Sequence[HeadCall]) -> JoinedCalls:
    """Joins calls of one head; rows with numbers that are not finite are left out."""
    width = calls[0].outputs.shape[1] if calls else 0
    alike = [call for call in calls if call.outputs.shape[1] == width]
    counts = [len(call.rows) for call in alike]
    sizes = np.repeat(np.array(counts, np.int64), counts)
    outputs = _stack([call.outputs for call in alike], width)
    asked = _stack([call.gradients for call in alike], width) * sizes[:, None]
    joined = JoinedCalls(
        rows=np.concatenate([np.asarray(call.rows, np.int64) for call in alike] or [np.zeros(0, np.int64)]),
        batches=np.repeat(np.arange(len(counts)), counts),
        sizes=sizes,
        steps=np.repeat(np.array([call.step for call in alike], np.int64), counts),
        outputs=outputs,
        asked=asked,
    )
    return joined.take(np.asarray(np.isfinite(asked).all(axis=1) & ~np.isnan(outputs).any(axis=1)))


def _stack(arrays: list[Array], width: int) -> Array:
    return np.concatenate([np.asarray(each, np.float64) for each in arrays] or [np.zeros((0, width))])
