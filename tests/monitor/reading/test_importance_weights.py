"""Weights of prioritised replay: which way they go with the errors that rows are drawn by."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.flaw_kinds import RISING_WEIGHTS
from weaklink.collect.monitor.reading.importance_weights import find_rising_weights


def draw(power: float, evenly: bool, seed: int, kept: int = 600, drawn: int = 1024) -> list[str]:
    """The flaws of a memory whose priorities are the errors of some time ago."""
    random = np.random.default_rng(seed)
    errors = random.lognormal(0.0, 1.0, kept) * random.choice([-1.0, 1.0], kept)
    chances = (np.abs(errors) * random.lognormal(0.0, 0.5, kept)) ** 0.6
    chances /= chances.sum()
    rows = random.choice(kept, drawn, p=None if evenly else chances)
    weights = (kept * chances[rows]) ** power
    return [each.kind for each in find_rising_weights("q", rows, weights / weights.max(), errors[rows])]


@pytest.mark.parametrize("seed", range(5))
def test_weights_that_rise_where_rows_are_drawn_by_their_errors(seed: int) -> None:
    assert draw(0.5, evenly=False, seed=seed) == [RISING_WEIGHTS]
    assert draw(-0.5, evenly=False, seed=seed) == []
    assert draw(-1.0, evenly=False, seed=seed) == []
    assert draw(0.0, evenly=False, seed=seed) == []
    assert draw(0.5, evenly=True, seed=seed) == []  # weights in place of priorities
