"""Real late views are in tests/rules/action/test_late_effect.py, beside real late actions."""

from __future__ import annotations

import numpy as np

from tests.rules.action.test_late_effect import latency
from tests.worlds import changed, world


def sick():
    return [changed(world(), latency=latency([13, 13, 13, 13, 13, 13], paid=2.0))]


def healthy():
    return [
        changed(world(), latency=latency([1, 1, np.nan, 1, 1, 1], paid=2.0)),
        changed(world(), latency=latency([2, 2, 2, 2, 2, 2], paid=2.0)),
        # actions act late, which is another rule's
        changed(world(), latency=latency([5, 5, 5, 5, 5, 5], paid=6.0)),
        changed(world(), latency=latency([13, 13, np.nan, np.nan, np.nan, np.nan], paid=2.0)),
    ]
