"""The same layer in an evaluation and in training: whether observations are prepared for it in the same way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.lines import fit_column_lines

FEWEST = 16
"""Rows of either side that must tell."""

FOLLOWED, RESEMBLED = 0.05, 0.7
"""What a scale and an offset may leave of a column, as a share of its spread: a running normaliser moves a little in
training, and in an evaluation that begins its statistics anew it moves a lot."""

FILLED, FEWEST_GONE, MUCH = 0.5, 4, 0.2
"""The share of steps of training in which an input must not be zero, and how many such inputs there must be, by number
and as a share of all."""


class PlayedRows(NamedTuple):
    """What a layer was given at some steps of an environment, row by row.

    Attributes:
        heads: the full names of the layer, one for each copy that was asked.
    """

    heads: frozenset[str]
    inputs: Array
    observations: Array

    @property
    def are_raw(self) -> bool:
        """Whether it was given the observations as they are, number by number."""
        return self.inputs.shape == self.observations.shape and bool(np.allclose(self.inputs, self.observations))


def measure_apart(evaluated: PlayedRows, trained: PlayedRows) -> float | None:
    """How far inputs of an evaluation lie from what training makes of the same observations, in spreads of a column.

    Of all columns the farthest counts. None where training is not given its observations column by column, each with
    a scale and an offset, or an evaluation is given something that does not resemble them.
    """
    sides = (evaluated, trained)
    if any(len(each.inputs) < FEWEST or each.inputs.shape != each.observations.shape for each in sides):
        return None
    lines = [fit_column_lines(each.observations.astype(np.float64), each.inputs.astype(np.float64)) for each in sides]
    spread = trained.inputs.astype(np.float64).std(axis=0)
    moving = np.isfinite(lines[0].left) & np.isfinite(lines[1].left) & (spread > 0.0)
    kept = moving & (lines[0].left <= RESEMBLED) & (lines[1].left <= FOLLOWED)
    if not kept.any() or kept.sum() < 0.5 * moving.sum():
        return None
    expected = evaluated.observations * lines[1].scales + lines[1].offsets
    apart = np.abs(evaluated.inputs - expected)[:, kept] / spread[kept]
    return float(np.median(apart, axis=0).max())


def is_forgetful(evaluated: PlayedRows, trained: PlayedRows) -> bool:
    """Whether many inputs are zero in every step of an evaluation, and hardly ever in training: a memory, not carried
    from step to step."""
    sides = (evaluated.inputs, trained.inputs)
    if min(map(len, sides)) < FEWEST or sides[0].shape[1] != sides[1].shape[1]:
        return False
    gone = np.all(sides[0] == 0.0, axis=0) & (np.mean(sides[1] != 0.0, axis=0) >= FILLED)
    return bool(gone.sum() >= FEWEST_GONE and gone.mean() >= MUCH)
