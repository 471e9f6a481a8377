from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.loop import Link
from weaklink.judge.rules.policy.first_ratio_off import first_ratio_off

OFF = np.abs(noisy(0.4, 0.1))
PARTED = np.append(np.zeros(40), np.abs(noisy(0.4, 0.1, points=60)))


def of(deviation, **others):
    return run_of({"policy.first_ratio_deviation": deviation, "reward.episode_return": rising(20, 200), **others})


def sick():
    return [
        of(OFF),
        of(PARTED),
        run_of({"policy.first_kl": np.abs(noisy(0.01, 0.001))}),
        of(PARTED, **{"task.completion_length": noisy(3, 0.1)}),
    ]


def healthy():
    return [
        of(np.zeros(100)),
        of(np.abs(noisy(1e-5, 1e-5))),
        of(np.where(np.arange(100) == 50, 0.5, 0.0)),
        # actors that run ahead on purpose
        of(OFF, **{"data.staleness": np.abs(noisy(3, 0.5))}),
        # an engine that rounds otherwise
        of(OFF, **{"task.completion_length": noisy(3, 0.1)}),
    ]


def test_weights_that_no_longer_arrive_are_told_from_a_policy_that_does_not_repeat_itself():
    assert first_ratio_off.rule.ask(of(OFF)).link is Link.POLICY
    assert first_ratio_off.rule.ask(of(PARTED)).link is Link.SYSTEM
