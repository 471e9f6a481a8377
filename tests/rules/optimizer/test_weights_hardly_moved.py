from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT308")


def of(change, returns, updates=1000.0, config=None):
    counted = ramp(1, updates - 1)
    return run_of(
        {"optimizer.parameter_change": change, "optimizer.updates": counted, "reward.episode_return": returns}, config
    )


def sick():
    return [of(np.full(100, 2e-5), noisy(20, 2)), of(np.full(100, 1e-9), noisy(-200, 2))]


def healthy():
    return [
        of(np.full(100, 1e-3), noisy(20, 2)),
        of(np.full(100, 2e-5), rising(20, 400)),
        of(np.full(100, 2e-5), noisy(20, 2), updates=100_000.0),
        of(np.full(100, 2e-6), noisy(20, 2), config={"algo": "grpo"}),
    ]


def test_says_how_far_they_can_have_moved():
    assert "2.0% at most" in RULE.ask(sick()[0]).message
