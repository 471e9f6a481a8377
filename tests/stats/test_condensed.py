from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.stats.bootstrap import bootstrap_interval
from weaklink.base.stats.condensed import MOST, condense


@pytest.mark.parametrize("count", [0, 1, 7, MOST - 1, MOST])
def test_few_values_stay_as_they_are(count):
    values = np.arange(count, dtype=float)
    assert condense(values) is values


@pytest.mark.parametrize("count", [MOST + 1, 1302, 2000, 2001, 7777, 123_456])
def test_the_mean_and_its_scatter_stay_the_same(count):
    values = np.random.default_rng(0).normal(3, 2, count)
    fewer = condense(values)
    assert MOST // 2 <= len(fewer) <= MOST
    assert fewer.mean() == pytest.approx(values.mean(), abs=0.1 * 2 / count**0.5)
    assert fewer.std() / len(fewer) ** 0.5 == pytest.approx(values.std() / count**0.5, rel=0.1)


def test_rare_successes_keep_their_rate():
    values = (np.arange(1302) % 59 == 0).astype(float)
    assert bootstrap_interval(condense(values), np.random.default_rng(0)).estimate == pytest.approx(values.mean())
