from __future__ import annotations

import numpy as np
import pytest

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import Level
from weaklink.judge.rules.returns.advantage_explosion import advantage_explosion


def sick():
    return [
        # blows up while the return does nothing
        run_of(
            {
                "returns.advantage_abs_max": np.exp(np.linspace(0, 9, 100)),
                "reward.episode_return": noisy(3000, 40),
            }
        ),
        # a few samples dominate all others
        run_of({"returns.advantage_abs_max": noisy(800, 30), "returns.advantage_std": noisy(2, 0.1)}),
        # far beyond what the rewards can pay
        run_of({"returns.advantage_abs_max": noisy(5000, 90), "reward.episode_return": noisy(20, 2)}),
        # normalised, and yet not centred
        run_of({"returns.advantage_mean": noisy(0.5, 0.02), "returns.advantage_std": noisy(1, 0.005)}),
    ]


def healthy():
    normalised = {"returns.advantage_std": noisy(1, 0.005), "returns.advantage_mean": noisy(0, 1e-6)}
    return [
        run_of({"returns.advantage_abs_max": noisy(6, 1), **normalised, "reward.episode_return": rising(20, 400)}),
        # raw advantages of a critic that runs after rising returns
        run_of({"returns.advantage_mean": noisy(3, 0.5), "returns.advantage_std": noisy(8, 0.5)}),
        # longer answers count more: token-weighted means need not cancel out
        run_of(
            {
                "returns.advantage_mean": noisy(-0.15, 0.02),
                "returns.advantage_std": noisy(1, 0.005),
                "task.completion_length": noisy(300, 10),
            }
        ),
    ]


@pytest.mark.parametrize(
    "curves",
    [
        # PPO on Pendulum with default settings
        {
            "returns.advantage_abs_max": noisy(148, 15),
            "reward.episode_return": noisy(-1200, 60),
            "returns.advantage_std": noisy(30, 2),
        },
        # advantages that grow with the returns
        {"returns.advantage_abs_max": ramp(8, 160, 4), "reward.episode_return": ramp(20, 500, 5)},
        {"returns.advantage_abs_max": noisy(40, 4)},
    ],
)
def test_large_for_a_good_reason_is_worth_knowing(curves):
    assert advantage_explosion.rule.ask(run_of(curves)).level is Level.INFO
