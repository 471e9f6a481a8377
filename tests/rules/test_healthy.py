"""Levels from what healthy looks like: the data that is shipped, and where a value stands in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.looping import loop_over
from weaklink.base.finding import Level
from weaklink.judge.rules._healthy import FAR, HIGH_IS_WORSE, LOW_IS_WORSE, MARGIN, compare_with_healthy, read_healthy

REGISTRY = json.loads((Path(__file__).parents[1] / "quality" / "worlds" / "healthy.json").read_text(encoding="utf-8"))


@loop_over(statistic=sorted(read_healthy()))
def test_every_statistic_has_many_healthy_values_in_order(statistic):
    known = read_healthy()[statistic]
    values = list(known.values.values())
    assert len(values) >= 20
    assert values == sorted(values)
    assert min(values) >= 0.0
    assert values[-1 if known.worse == HIGH_IS_WORSE else 0] > 0.0
    assert known.worse in (HIGH_IS_WORSE, LOW_IS_WORSE)
    assert set(known.values) <= set(REGISTRY)


@loop_over(statistic=sorted(read_healthy()))
def test_no_healthy_value_is_more_than_worth_knowing(statistic):
    for value in read_healthy()[statistic].values.values():
        assert compare_with_healthy(statistic, value).level is Level.INFO


@loop_over(statistic=sorted(read_healthy()))
def test_the_level_grows_with_the_distance_from_everything_healthy(statistic):
    known = read_healthy()[statistic]
    high = known.worse == HIGH_IS_WORSE
    name, end = (list(known.values.items()))[-1 if high else 0]

    def stand(times):
        return compare_with_healthy(statistic, end * times if high else end / times)

    assert stand(0.9 * MARGIN).level is Level.INFO
    assert stand(1.1 * MARGIN).level is Level.WARN
    assert stand(1.1 * FAR).level is Level.ERROR
    beyond = stand(10.0)
    assert beyond.beyond
    assert beyond.nearest == name
    assert beyond.times == pytest.approx(10.0)
    assert f"of {len(known.values)} healthy environments" in beyond.words
    assert name in beyond.words


def test_inside_the_range_the_place_and_the_nearest_example_are_said():
    standing = compare_with_healthy("reward.discounted_return", 100.0)
    assert standing.level is Level.INFO
    assert "more than in" in standing.words
    assert standing.nearest in standing.words


def test_what_is_no_number_or_nothing_at_all_does_no_harm():
    assert compare_with_healthy("reward.discounted_return", float("nan")).level is Level.INFO
    assert compare_with_healthy("reward.discounted_return", 0.0).level is Level.INFO
    assert compare_with_healthy("reward.discounted_return", float("inf")).level is Level.ERROR
    assert compare_with_healthy("reward.return_spread", 0.0).level is Level.ERROR
