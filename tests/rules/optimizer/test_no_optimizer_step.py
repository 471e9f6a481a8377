from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT306")


def sick():
    return [run_of({"optimizer.updates": np.zeros(100), "reward.episode_return": noisy(20, 2)})]


def healthy():
    late = np.concatenate([np.zeros(50), np.arange(50.0)])  # a replay buffer that is filled first
    return [
        run_of({"optimizer.updates": ramp(1, 900), "reward.episode_return": noisy(20, 2)}),
        run_of({"optimizer.updates": late, "reward.episode_return": noisy(20, 2)}),
    ]


def test_a_short_run_is_not_judged():
    short = run_of({"optimizer.updates": np.zeros(2), "reward.episode_return": noisy(20, 2)[:2]})
    assert isinstance(RULE.ask(short), CannotTell)
    assert "no optimizer has stepped" in RULE.ask(sick()[0]).message
