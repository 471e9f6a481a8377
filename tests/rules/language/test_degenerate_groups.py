from __future__ import annotations

import numpy as np
import pytest

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import Level
from weaklink.loop import Link
from weaklink.rules._registry import find_rule

RULE = find_rule("LLM308")
NONE = np.clip(noisy(0.95, 0.02), 0, 1)


def sick():
    return [
        run_of({"reward.zero_spread_fraction": NONE, "reward.mean": np.abs(noisy(0.02, 0.01))}),
        run_of({"reward.zero_spread_fraction": NONE, "reward.mean": noisy(0.97, 0.01)}),
        run_of({"reward.zero_spread_fraction": NONE, "reward.mean": noisy(0.5, 0.1), "reward.std": noisy(0.5, 0.02)}),
        run_of({"reward.zero_spread_fraction": ramp(0.1, 1.0, 0.02), "reward.mean": rising(0.2, 0.98)}),
        run_of({"reward.zero_spread_fraction": noisy(0.65, 0.04), "reward.mean": noisy(0.5, 0.05)}),
        run_of(
            {
                "reward.zero_spread_fraction": np.ones(100),
                "reward.mean": np.zeros(100),
                "task.truncated_fraction": np.ones(100),
            }
        ),
        run_of({"reward.zero_spread_fraction": NONE}),
    ]


def healthy():
    return [
        run_of({"reward.zero_spread_fraction": noisy(0.3, 0.1), "reward.mean": rising(0.2, 0.6)}),
        run_of({"reward.zero_spread_fraction": ramp(0.95, 0.2, 0.02), "reward.mean": rising(0.0, 0.6)}),
    ]


@pytest.mark.parametrize(
    ("at", "word", "level", "link"),
    [
        (0, "all wrong", Level.WARN, Link.TASK),
        (1, "all right", Level.WARN, Link.TASK),
        (2, "always right or always wrong", Level.WARN, Link.REWARD),
        (3, "all right", Level.INFO, Link.TASK),
        (4, "always right or always wrong", Level.INFO, Link.REWARD),
        (5, "cut at the length cap", Level.WARN, Link.TASK),
        (6, "no reward is logged", Level.WARN, Link.REWARD),
    ],
)
def test_tells_the_causes_apart(at, word, level, link):
    answer = RULE.ask(sick()[at])
    assert word in answer.message
    assert (answer.level, answer.link) == (level, link)
    assert answer.fix
