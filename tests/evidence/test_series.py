from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import MOST_POINTS, Provenance, Series, SeriesBuilder


def test_long_series_are_merged_and_keep_their_mean_and_extremes():
    values = np.random.default_rng(0).normal(size=300_000)
    values[123_456] = 99.0
    values[200_000] = -77.0
    series = Series.of("x", np.arange(300_000), values)
    assert len(series) <= 2 * MOST_POINTS
    assert series.count == 300_000
    assert series.highs.max() == 99.0
    assert series.lows.min() == -77.0
    assert series.values.mean() == pytest.approx(values.mean(), abs=1e-3)
    assert np.all(np.diff(series.steps) > 0)


@given(st.lists(st.integers(1, 9000), min_size=1, max_size=8))
@settings(max_examples=20, deadline=None)
def test_how_the_points_arrive_does_not_matter(chunks):
    total = sum(chunks)
    values = np.sin(np.arange(total) / 50)
    whole, parts = SeriesBuilder(), SeriesBuilder()
    whole.extend(np.arange(total), values)
    at = 0
    for size in chunks:
        parts.extend(np.arange(at, at + size), values[at : at + size])
        at += size
    one, other = whole.build("x", Provenance("x")), parts.build("x", Provenance("x"))
    assert one.count == other.count == total
    assert one.values.max() <= 1.0
    assert other.highs.max() == pytest.approx(values.max())
    assert abs(one.values.mean() - other.values.mean()) < 0.05


def test_non_finite_points_are_counted_and_set_aside():
    series = Series.of("x", [1, 2, 3, 4, 5], [1.0, np.nan, 3.0, np.inf, 5.0])
    assert list(series.values) == [1.0, 3.0, 5.0]
    assert series.nonfinite is not None
    assert (series.nonfinite.count, series.nonfinite.nan, series.nonfinite.first_step) == (2, 1, 2.0)
    assert series.nonfinite.word == "NaN and inf"
    assert series.nonfinite.tail == 0


def test_where_a_series_is_lost_for_good_is_known_however_it_arrives():
    values = [1.0, np.nan, 2.0, 3.0, np.nan, np.inf, np.nan]
    whole, one_by_one = SeriesBuilder(), SeriesBuilder()
    whole.extend(range(7), values)
    for step, value in enumerate(values):
        one_by_one.extend([step], [value])
    for builder in (whole, one_by_one):
        lost = builder.build("x", Provenance("x")).nonfinite
        assert lost is not None
        assert (lost.tail, lost.since, lost.count) == (3, 4.0, 4)


def test_a_resumed_run_replaces_what_it_wrote_again():
    steps = [*range(0, 100, 10), *range(50, 150, 10)]
    series = Series.of("x", steps, [0.0] * 10 + [1.0] * 10)
    assert np.all(np.diff(series.steps) >= 0)
    assert list(series.values[series.steps >= 50]) == [1.0] * 10
    assert list(series.values[series.steps < 50]) == [0.0] * 5


def test_late_writers_are_sorted_and_lose_nothing():
    steps = np.arange(1000.0)
    steps[[500, 501]] = steps[[501, 500]]
    assert len(Series.of("x", steps, steps)) == 1000


def test_a_counter_that_starts_anew_is_no_axis():
    series = Series.of("x", np.tile(np.arange(10), 8), np.arange(80))
    assert len(series) == 80
    assert series.last_step == 79


def test_points_logged_without_a_step_are_counted():
    assert list(Series.of("x", [0, 0, 0, 0, 0], [1, 2, 3, 4, 5]).steps) == [0, 1, 2, 3, 4]


def test_one_stray_point_does_not_delete_the_run():
    series = Series.of("x", [*range(100), 0], [*range(100), 5.0])
    assert len(series) == 101


def test_scaling_by_minus_one_swaps_the_extremes():
    series = Series.of("x", np.arange(40_000), np.arange(40_000)).scaled(-1.0)
    assert np.all(series.lows <= series.values)
    assert np.all(series.values <= series.highs)
    assert series.values[0] > series.values[-1]


def test_an_empty_series_is_as_good_as_a_missing_one():
    run = Run("r", {"policy.kl": Series.of("policy.kl", [1], [np.nan])})
    assert "policy.kl" not in run
    assert run.get("policy.kl", "policy.loss") is None
    assert run.performance is None
