"""The levels of a short curve, and how far it wanders."""

from __future__ import annotations

import numpy as np

from weaklink.base.stats import noise, scatter_within, split_stretches, wander


def noisy(points, spread=0.05, seed=0):
    return np.random.default_rng(seed).normal(0.0, spread, points)


def running_mean(seed, points=40, over=10):
    return np.convolve(noisy(points + over - 1, 1.0, seed), np.ones(over) / over, mode="valid")


def test_levels_are_found_where_they_begin():
    values = np.repeat([1.0, 0.2, 0.7], (8, 10, 7)) + noisy(25)
    assert split_stretches(values) == [8, 18]


def test_noise_alone_and_a_constant_have_one_level():
    assert sum(bool(split_stretches(noisy(25, seed=seed))) for seed in range(40)) <= 4
    assert split_stretches(np.full(12, 3.0)) == []


def test_a_change_of_level_is_no_scatter():
    values = np.repeat([1.0, 0.0, 1.0, 0.0], 3) + noisy(12)
    assert scatter_within(values) < 0.1 < noise(values)


def test_a_running_mean_wanders_and_independent_points_do_not():
    assert np.median([wander(running_mean(seed)) for seed in range(40)]) > 2.5
    assert np.median([wander(noisy(40, seed=seed)) for seed in range(40)]) < 1.4
    assert wander(np.full(9, 2.0)) == 1.0
