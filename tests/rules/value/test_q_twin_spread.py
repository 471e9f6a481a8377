from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import Level
from weaklink.judge.rules.value.q_twin_spread import q_twin_spread


def sick():
    return [
        run_of({"value.q_twin_spread": noisy(240, 20), "value.q_mean": noisy(300, 10)}),
        run_of({"value.q2_mean": noisy(900, 10), "value.q_mean": noisy(100, 10)}),
        run_of({"value.q_twin_spread": noisy(240, 20), "reward.episode_return": noisy(30, 2)}),
    ]


def healthy():
    return [
        run_of({"value.q_twin_spread": noisy(3, 0.5), "value.q_mean": rising(0, 90)}),
        run_of({"value.q2_mean": rising(0, 90, seed=1), "value.q_mean": rising(0, 90)}),
    ]


def test_a_spread_small_against_the_values_is_worth_knowing():
    found = q_twin_spread.rule.ask(run_of({"value.q_twin_spread": noisy(150, 9), "value.q_mean": noisy(6000, 50)}))
    assert found.level is Level.INFO


def test_values_of_both_signs_are_judged_by_what_the_rewards_allow():
    curves = {"value.q_mean": noisy(0, 20), "value.q_twin_spread": noisy(150, 9), "reward.max": np.full(100, 50.0)}
    assert q_twin_spread.rule.ask(run_of(curves)).level is Level.INFO
