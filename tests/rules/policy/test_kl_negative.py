from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.judge.rules.policy.kl_negative import kl_negative


def sick():
    return [
        run_of({"policy.kl": noisy(-0.18, 0.05), "reward.episode_return": rising(20, 400)}),
        # masked tokens inside the sum: the estimate runs away downwards
        run_of({"policy.kl_reference": ramp(-0.5, -233.5, 2.0), "reward.mean": noisy(0.4, 0.02)}),
        run_of({"policy.kl": noisy(-0.004, 0.001)}),
    ]


def healthy():
    plain_estimator = noisy(0.0003, 0.01)
    brief_dip = np.concatenate([noisy(0.0, 0.5, points=15), np.abs(noisy(4.0, 0.5, points=85))])
    return [
        run_of({"policy.kl": np.abs(noisy(0.01, 0.004)), "reward.episode_return": rising(20, 400)}),
        run_of({"policy.kl": plain_estimator, "policy.kl_reference": brief_dip}),
        run_of({"policy.kl": noisy(-1e-9, 1e-9)}),  # rounding
        run_of({"policy.kl": noisy(-0.0002, 0.0001)}),  # verl's plain estimator, one step per batch
    ]


def test_says_which_of_the_two_is_negative():
    found = kl_negative.rule.ask(run_of({"policy.kl": noisy(0.01, 0.001), "policy.kl_reference": noisy(-3, 0.5)}))
    assert found.evidence[0].metric == "policy.kl_reference"
    assert "reference" in found.message
