from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from weaklink.base.finding import LOW
from weaklink.judge.rules.policy.kl_growing import kl_growing


def sick():
    return [
        run_of({"policy.kl": ramp(0.004, 0.12, 0.004), "reward.episode_return": noisy(20, 2)}),
        run_of({"policy.kl": 0.006 * np.exp(np.linspace(0, 3, 100)), "reward.episode_return": ramp(0, -20, 1)}),
    ]


def healthy():
    return [
        # HalfCheetah with PPO sits at 0.03 to 0.1 throughout, learning or stuck
        run_of({"policy.kl": noisy(0.06, 0.02), "reward.episode_return": noisy(900, 30)}),
        run_of({"policy.kl": ramp(0.01, 0.1, 0.01), "reward.episode_return": rising(-100, 2000)}),
        run_of({"policy.kl": step_change(0.01, 0.08, spread=0.004), "reward.episode_return": noisy(20, 2)}),
        run_of({"policy.kl": ramp(0.001, 0.012, 0.001), "reward.episode_return": noisy(20, 2)}),
        # a learning rate that warms up and then holds
        run_of({"policy.kl": np.minimum(ramp(0.0, 0.15, 0.001), 0.03), "reward.episode_return": noisy(20, 2)}),
    ]


def test_without_a_return_it_asks_for_more():
    assert kl_growing.rule.ask(run_of({"policy.kl": ramp(0.004, 0.06, 0.002)})) is None
    assert kl_growing.rule.ask(run_of({"policy.kl": ramp(0.004, 0.3, 0.002)})).confidence == LOW
