from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import fisher_exact

from weaklink.base.stats import compute_fisher_tail


def test_it_agrees_with_scipy():
    draw = np.random.default_rng(0)
    for _ in range(200):
        total = int(draw.integers(2, 400))
        drawn, marked = (int(draw.integers(0, total + 1)) for _ in range(2))
        hits = int(draw.integers(max(0, drawn + marked - total), min(drawn, marked) + 1))
        table = [[hits, drawn - hits], [marked - hits, total - drawn - marked + hits]]
        expected = fisher_exact(table, alternative="greater").pvalue
        assert compute_fisher_tail(hits, drawn, marked, total) == pytest.approx(expected, rel=1e-7, abs=1e-300)


def test_the_ends():
    assert compute_fisher_tail(0, 5, 5, 10) == 1.0
    assert compute_fisher_tail(6, 5, 5, 10) == 0.0
    assert compute_fisher_tail(3, 8, 5, 10) == 1.0  # fewer than three cannot be
