from __future__ import annotations

import numpy as np

from tests.ranked import with_curves
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.data.stale_rank import METRIC, stale_rank

RULE = stale_rank.rule
COUNT = np.arange(40)


def sick():
    return [
        with_curves(METRIC, [0 * COUNT, COUNT % 16]),
        with_curves(METRIC, [1 + 0 * COUNT, COUNT, 1 + COUNT % 2]),
        with_curves(METRIC, [0 * COUNT, 0 * COUNT, 0 * COUNT, 8 + 0 * COUNT]),
    ]


def healthy():
    return [
        with_curves(METRIC, [0 * COUNT, COUNT % 2]),
        with_curves(METRIC, [4 + COUNT % 3, 5 + COUNT % 4]),
        with_curves(METRIC, [COUNT, COUNT + 1]),
        with_curves(METRIC, [0 * COUNT, np.where(COUNT == 30, 50, 0)]),  # once
    ]


def test_the_rank_is_named():
    assert RULE.ask(sick()[2]).message.startswith("Rank 3 collects with weights that are 8 updates old")


def test_a_few_points_are_not_enough():
    assert isinstance(RULE.ask(with_curves(METRIC, [[0.0, 0.0], [9.0, 9.0]])), CannotTell)
