from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of, step_change
from weaklink.base.finding import Level
from weaklink.judge.rules.optimizer.precision import precision


def sick():
    falling = 2.0 ** np.concatenate([np.full(40, 16), np.linspace(16, 0, 30).round(), np.zeros(30)])
    updates = 100.0 * np.arange(1, 101)
    return [
        run_of({"optimizer.loss_scale": falling}),
        run_of({"optimizer.skipped_steps": np.cumsum(np.full(100, 30.0)), "optimizer.updates": updates}),
        run_of({"optimizer.skipped_steps": noisy(30, 3), "optimizer.updates": updates}),
        run_of({"policy.log_prob_min": step_change(-12, -4000, 0.5, 2.0), "reward.episode_return": noisy(20, 2)}),
    ]


def healthy():
    # a dynamic scale starts high and finds its level within some steps, then tries to double now and then
    settling = 2.0 ** np.concatenate([np.linspace(32, 16, 8).round(), np.full(92, 16)])
    doubling = np.where(np.arange(100) % 20 == 0, 2.0**17, 2.0**16)
    return [
        run_of({"optimizer.loss_scale": settling}),
        run_of({"optimizer.loss_scale": doubling}),
        # one step skipped at each try, in a log that has one row for 2,000 updates
        run_of({"optimizer.skipped_steps": np.arange(100.0), "optimizer.updates": 2000.0 * np.arange(1, 101)}),
        run_of({"policy.log_prob_min": noisy(-40, 8)}),
        # summed over the tokens of a long text
        run_of({"policy.log_prob_min": noisy(-2500, 90), "task.completion_length": noisy(900, 20)}),
    ]


def test_extreme_log_probs_of_a_run_that_learns_are_worth_knowing():
    curves = {"policy.log_prob_min": noisy(-4000, 90), "reward.episode_return": rising(20, 400)}
    assert precision.rule.ask(run_of(curves)).level is Level.INFO
