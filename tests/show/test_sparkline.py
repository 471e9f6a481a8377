from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.show.made import series
from weaklink.show.sparkline import ASCII, BLOCKS, draw_sparkline

finite = st.floats(allow_nan=False, allow_infinity=False)


def test_each_point_has_its_column_when_there_is_room():
    assert draw_sparkline(series(np.arange(8))).drawn == BLOCKS


def test_one_peak_among_many_points_is_drawn():
    values = np.zeros(100_000)
    values[77_777] = 5.0
    drawn = draw_sparkline(series(values), 40).drawn
    assert drawn.count(BLOCKS[-1]) == 1
    assert drawn.index(BLOCKS[-1]) == 31


def test_a_peak_and_a_trough_in_the_same_column_are_both_drawn():
    values = np.zeros(1000)
    values[[500, 501]] = 3.0, -7.0
    curve = draw_sparkline(series(values), 10)
    assert {BLOCKS[0], BLOCKS[-1]} <= set(curve.drawn)
    assert (curve.low, curve.high) == (-7.0, 3.0)


def test_extremes_of_merged_points_are_seen():
    values = np.zeros(200_000)
    values[123_456] = 9.0
    assert draw_sparkline(series(values), 40).high == 9.0


def test_the_mark_stands_where_the_step_is():
    assert draw_sparkline(series(np.arange(100)), 50, mark=50).mark == 25
    assert draw_sparkline(series(np.arange(100)), 50, mark=-5).mark == 0
    assert draw_sparkline(series(np.arange(100)), 50, mark=1e9).mark == 49


def test_nothing_to_draw():
    assert draw_sparkline(series([])) is None
    assert draw_sparkline(series([float("nan")])) is None


@pytest.mark.parametrize("values", [[3.0], [2.0, 2.0, 2.0], [5e-324, 0.0], [1.7e308, -1.7e308]])
def test_odd_curves_are_drawn_without_a_warning(values):
    assert len(draw_sparkline(series(values)).drawn) == len(values)


@given(st.lists(finite, min_size=1, max_size=200), st.integers(1, 60))
def test_any_curve_fits_and_keeps_its_extremes(values, width):
    curve = draw_sparkline(series(values), width, unicode=False)
    assert len(curve.drawn) == min(width, len(values))
    assert set(curve.drawn) <= set(ASCII)
    assert (curve.low, curve.high) == (min(values), max(values))
    if width > 1 and curve.high / 2 > curve.low / 2:
        assert {ASCII[0], ASCII[-1]} <= set(curve.drawn)
