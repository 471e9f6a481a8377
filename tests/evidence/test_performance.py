"""The course of a run's own measure of success: when it is said to have improved."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.series import Series


def course(values):
    return measure_course(Series.of("reward.episode_return", np.arange(1, len(values) + 1) * 2048.0, values))


@pytest.mark.parametrize(
    "values",
    [
        [25, 27, 33, 45, 60, 85, 120, 170, 230, 296],
        [25, 26, 30, 60, 140, 190, 240, 270, 290, 296],
        [22, 25, 24, 28, 27, 45, 130, 250, 280, 296],
        [-1400, -1390, -1300, -1100, -900, -600, -400, -250, -200, -180],
        np.linspace(25, 296, 10),
    ],
    ids=["ever steeper", "an S", "late", "from below", "straight"],
)
def test_a_short_curve_that_climbs_has_improved_however_it_bends(values):
    assert course(values).improved


@pytest.mark.parametrize(
    "values",
    [
        [20, 22, 300, 21, 19, 400, 25, 30, 22, 500],
        [25, 60, 120, 200, 296, 200, 120, 60, 30, 26],
        [296, 230, 170, 120, 85, 60, 45, 33, 27, 25],
        [25.0] * 10,
    ],
    ids=["bursts", "there and back", "down", "at rest"],
)
def test_chance_and_loss_are_no_improvement(values):
    assert not course(values).improved


def test_smoothed_noise_seldom_looks_like_an_improvement():
    """Few points of a mean over 100 episodes, as trainers log them, of returns that do not change."""
    rng, seen = np.random.default_rng(5), 0
    for _ in range(300):
        returns = rng.exponential(20.0, 300)
        values = np.convolve(returns, np.ones(100) / 100, mode="valid")[::20]
        seen += course(values).improved
    assert seen <= 6


def test_too_few_points_have_no_course():
    assert course([1.0, 2.0, 3.0]) is None


def shaped(kind, points, spread, seed):
    place = (np.arange(points) + 0.5) / points
    rise, fall = (1 / (1 + np.exp(-(place - at) / 0.03)) for at in (0.2, 0.7))
    early = 1 / (1 + np.exp(-(place - 0.15) / 0.015))
    curves = {
        "fallen and flat": 1 - early,
        "there and back": rise - fall,
        "risen": rise,
        "stepped": rise / 2 + fall / 2,
    }
    return 0.6 + 0.4 * curves[kind] + np.random.default_rng(seed).normal(0, spread, points)


LOSSES = [("fallen and flat", points) for points in (12, 15, 20, 30, 60, 400)] + [
    ("there and back", points) for points in (30, 60, 400)
]


@pytest.mark.parametrize(("kind", "points"), LOSSES)
def test_a_loss_is_seen_in_few_points_too(kind, points):
    assert sum(course(shaped(kind, points, 0.01, seed)).declined for seed in range(20)) >= 19


@pytest.mark.parametrize("points", [12, 15, 30, 60, 400])
@pytest.mark.parametrize("kind", ["fallen and flat", "there and back"])
def test_a_loss_is_never_called_flat_nor_a_gain(kind, points):
    courses = [course(shaped(kind, points, 0.02, seed)) for seed in range(20)]
    assert not any(each.flat or each.improved for each in courses)


@pytest.mark.parametrize("points", [20, 30, 60, 400])
@pytest.mark.parametrize("kind", ["risen", "stepped"])
def test_a_gain_is_seen_in_few_points_too(kind, points):
    assert sum(course(shaped(kind, points, 0.01, seed)).improved for seed in range(20)) >= 19


def test_a_gain_of_less_than_a_hundredth_is_none():
    risen = course(0.5 + 0.002 * np.linspace(0, 1, 100))
    assert risen.flat
    assert not risen.improved


def test_what_was_won_and_lost_is_said_in_one_breath():
    assert course(shaped("there and back", 60, 0.01, 0)).told.startswith("reward.episode_return rises from 0.6")


def test_rows_that_lie_ever_further_apart_are_compared_in_equal_steps():
    """A row is written whenever the steps have grown by a share: a third of a run would be its last eighth of rows."""
    steps = np.unique(np.round(1.02 ** np.arange(560)))
    share = steps / steps[-1]
    values = np.interp(share, [0.0, 0.4, 0.6, 0.7, 0.85, 1.0], [20.0, 380.0, 390.0, 130.0, 140.0, 460.0])
    values += np.random.default_rng(0).normal(0.0, 20.0, len(values))
    found = measure_course(Series.of("reward.episode_return", steps, values))
    assert (found.improved, found.declined) == (True, False)
    lost = np.interp(share, [0.0, 0.4, 0.6, 0.7, 1.0], [20.0, 380.0, 390.0, 130.0, 100.0])
    assert measure_course(Series.of("reward.episode_return", steps, lost)).declined


def test_a_curve_that_seems_to_rise_by_what_would_matter_is_not_called_flat():
    """Amid wide scatter that it stays where it was is no more than a guess."""
    scatter = np.random.default_rng(3).normal(0, 130.0, 29)
    climbing, still = course(np.linspace(-1200, -1000, 29) + scatter), course(-1200 + scatter)
    assert not climbing.flat
    assert not climbing.declined
    assert still.flat
