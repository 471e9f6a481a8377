from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.judge.rules.optimizer.step_size import step_size

STUCK = noisy(20, 2)


def sick():
    return [
        run_of({"optimizer.parameter_change": noisy(0.4, 0.05), "reward.episode_return": STUCK}),
        run_of({"optimizer.parameter_change": np.full(100, 2e-10), "reward.episode_return": STUCK}),
        run_of({"optimizer.step_abs_max": noisy(4, 0.5), "reward.episode_return": STUCK}),
        run_of({"optimizer.step_mean_square": np.zeros(100), "reward.episode_return": STUCK}),
    ]


def healthy():
    return [
        run_of({"optimizer.parameter_change": noisy(3e-3, 5e-4), "reward.episode_return": STUCK}),
        run_of({"optimizer.parameter_change": noisy(0.2, 0.02), "reward.episode_return": rising(20, 400)}),
        run_of({"optimizer.parameter_change": np.full(100, 5e-5), "reward.mean": noisy(0.4, 0.01)}, {"algo": "grpo"}),
        run_of({"optimizer.step_mean_square": np.full(100, 1e-12), "reward.mean": noisy(0.4, 0.01)}, {"algo": "grpo"}),
        # the end of a schedule
        run_of(
            {
                "optimizer.parameter_change": np.maximum(ramp(1e-3, -1e-3), 0),
                "optimizer.learning_rate": np.maximum(ramp(3e-4, -3e-4), 0),
                "reward.episode_return": STUCK,
            }
        ),
    ]


def test_tells_too_large_from_too_small():
    told = [step_size.rule.ask(run).message for run in sick()]
    assert ["large" in message for message in told] == [True, False, True, False]
