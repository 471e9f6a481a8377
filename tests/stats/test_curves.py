from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.stats import (
    block_means,
    change_points,
    count_swings,
    find_departure,
    find_first_lasting,
    find_lasting_above,
    find_lasting_below,
    noise,
    trend,
)

RNG = np.random.default_rng(11)


def smoothed(values: np.ndarray, width: int) -> np.ndarray:
    return np.convolve(values, np.ones(width) / width, mode="valid")


def test_a_smoothed_random_curve_rarely_has_a_trend():
    found = sum(trend(smoothed(RNG.normal(size=600), 50)).p_value < 0.01 for _ in range(200))
    assert found <= 10


def test_a_real_trend_is_seen_through_noise():
    rising = trend(np.linspace(0, 1, 300) + RNG.normal(0, 0.5, 300))
    assert rising.rises
    assert rising.change == pytest.approx(1.0, abs=0.4)
    assert trend(np.linspace(1, 0, 300)).falls
    assert trend(1 / (1 + np.exp(-(np.arange(150) - 65) / 15)) + RNG.normal(0, 0.02, 150)).rises


def test_noise_is_free_of_trend_and_of_single_outliers():
    values = np.linspace(0, 100, 500) + RNG.normal(0, 2, 500)
    values[100] = 1e6
    assert noise(values) == pytest.approx(2, rel=0.2)
    assert noise(np.array([0.0, 0, 0, 0, 0, 5, 0, 0, 0, 0])) > 0


def test_change_points_are_found_where_the_level_jumps():
    values = np.concatenate((RNG.normal(0, 1, 100), RNG.normal(5, 1, 80), RNG.normal(-2, 1, 60)))
    first, second = change_points(values)
    assert abs(first - 100) <= 2
    assert abs(second - 180) <= 2


def test_noise_has_few_change_points():
    assert sum(len(change_points(RNG.normal(size=200))) for _ in range(50)) <= 5


def test_lasting_passes_over_spikes_and_finds_the_stretch():
    values = np.zeros(100)
    values[[5, 9, 40]] = 1.0
    assert find_lasting_above(values, 0.5) is None
    values[60:] = 1.0
    held = find_lasting_above(values, 0.5)
    assert held is not None
    assert (held.start, held.end, held.to_end) == (60, 99, True)
    assert find_lasting_below(values, 0.5).start == 0
    assert find_first_lasting(values > 0.5) == 60


def test_a_stretch_that_ended_is_not_open():
    values = np.zeros(100)
    values[20:60] = 1.0
    held = find_lasting_above(values, 0.5)
    assert held is not None
    assert not held.to_end
    assert held.start == 20


@pytest.mark.parametrize("count", [0, 1, 4])
def test_too_few_points_never_last(count):
    assert find_lasting_above(np.ones(count), 0.5) is None


def test_swings_count_large_reversals_only():
    waves = 10 * np.sin(np.linspace(0, 8 * np.pi, 400)) + RNG.normal(0, 0.2, 400)
    assert count_swings(waves, 5.0).count == 8
    assert count_swings(np.linspace(0, 10, 100) + RNG.normal(0, 0.2, 100), 5.0).count == 0
    assert count_swings(np.zeros(10), 1.0).count == 0


def test_blocks_keep_the_mean():
    values = RNG.normal(size=97)
    means = block_means(values, 10)
    sizes = np.diff([(k * 97) // 10 for k in range(11)])
    assert (means * sizes).sum() == pytest.approx(values.sum())
    assert block_means(values[:5], 10) is not None


def test_a_departure_begins_before_the_limit_is_crossed():
    values = np.concatenate((RNG.normal(1.0, 0.02, 50), np.exp(np.linspace(0, 5, 50))))
    crossed = int(np.argmax(values > 20.0))
    assert crossed > 75
    assert 48 <= find_departure(values, crossed) <= 54
    assert find_departure(values, 3) == 3
