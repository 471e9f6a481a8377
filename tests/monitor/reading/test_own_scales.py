"""Rows that are multiples of one another, as in small grids, are not scaled by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.update import HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.reading.own_scales import find_own_scales


def read(prepare) -> UpdateReading:
    """An update whose network is given what `prepare` makes of the cells of a grid and a target."""
    random = np.random.default_rng(0)
    seen = (random.integers(1, 4, (96, 1)) * random.integers(0, 3, (96, 5))).astype(np.float32)
    count, nothing = len(seen), np.zeros(len(seen), bool)
    tape = Tape(
        seen, np.zeros((count, 1)), np.zeros(count), nothing, nothing, seen, nothing, ~nothing, np.arange(count), 1
    )
    given = prepare(seen)
    call = HeadCall("critic", 0, given, np.zeros((count, 1)), np.ones((count, 1)), np.arange(count))
    return UpdateReading(1, 1, tape, (call,))


def standardise(rows: np.ndarray) -> np.ndarray:
    return (rows - rows.mean(1, keepdims=True)) / (rows.std(1, keepdims=True) + 1e-6)


@pytest.mark.parametrize(("prepare", "found"), [(np.asarray, 0), (lambda rows: rows / 8, 0), (standardise, 1)])
def test_only_rows_with_a_spread_of_their_own_are_named(prepare, found):
    assert len(list(find_own_scales(read(prepare)))) == found
