from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.stats.correlation import MOST_LEVELS, PIECE, correlation, correlation_within, dot, levels, ranks


def test_long_columns_are_multiplied_in_pieces():
    odd = np.arange(2 * PIECE + 3) % 7.0
    assert dot(odd, odd + 1.0) == float((odd * (odd + 1.0)).sum())
    assert dot(odd[:0], odd[:0]) == 0.0
    few = np.random.default_rng(0).normal(size=(2, PIECE))
    assert dot(*few) == few[0] @ few[1]


def test_ranks_share_the_middle_of_their_places():
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [3.5, 1.0, 3.5, 2.0]


def test_order_decides_and_size_does_not():
    first = np.arange(50.0)
    assert correlation(first, np.exp(first / 5)) == pytest.approx(1.0)
    assert correlation(first, -(first**3)) == pytest.approx(-1.0)
    one_huge = np.r_[np.zeros(49), 1e300] + np.random.default_rng(0).normal(size=50)
    assert abs(correlation(first, one_huge)) < 0.5


def test_what_cannot_be_told_is_none():
    column = np.arange(30.0)
    assert correlation(column, np.ones(30)) is None
    assert correlation(column[:9], column[:9]) is None
    assert correlation(np.where(column < 25, np.nan, column), column) is None
    assert correlation_within(column, np.ones(30), np.zeros(30)) is None


def test_rows_that_do_not_say_are_left_out():
    column = np.arange(40.0)
    holes = np.where(np.arange(40) % 2 == 0, np.nan, column)
    assert correlation(column, holes) == pytest.approx(1.0)


def test_what_only_follows_the_third_vanishes_once_that_is_fixed():
    generator = np.random.default_rng(3)
    outcome = generator.integers(0, 2, 4000).astype(float)
    first, second = outcome + 0.3 * generator.normal(size=4000), outcome + 0.3 * generator.normal(size=4000)
    assert correlation(first, second) > 0.5
    assert abs(correlation_within(first, second, outcome)) < 0.06


def test_what_is_there_at_every_level_stays():
    generator = np.random.default_rng(4)
    outcome = generator.normal(size=4000)
    shared = generator.normal(size=4000)
    first, second = outcome + shared, -outcome + shared
    assert abs(correlation(first, second)) < 0.1
    assert correlation_within(first, second, outcome) > 0.6


def test_many_values_become_bins_of_equal_size():
    numbers = levels(np.random.default_rng(0).normal(size=1000))
    assert np.bincount(numbers).tolist() == [1000 // MOST_LEVELS] * MOST_LEVELS
    assert levels(np.array([0.5, 2.0, 0.5])).tolist() == [0, 1, 0]
