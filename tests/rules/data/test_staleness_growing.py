from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.data.staleness_growing import staleness_growing


def sick():
    return [
        run_of({"data.staleness": ramp(1, 14, 0.3), "reward.episode_return": noisy(20, 2)}),
        run_of({"data.staleness": step_change(1, 9, 0.6, 0.2)}),
        # the return rises, and more and more samples are clipped
        run_of(
            {
                "data.staleness": ramp(1, 14, 0.3),
                "reward.episode_return": rising(20, 400),
                "policy.clip_fraction": ramp(0.08, 0.4, 0.03),
            }
        ),
        # old from the start, of a policy that is far away by now, although the return rises
        run_of(
            {
                "data.staleness": np.minimum(np.arange(100.0), 31),
                "policy.kl": noisy(0.3, 0.02),
                "reward.episode_return": rising(20, 400),
            }
        ),
        # no weights arrive any more
        run_of({"data.staleness": np.maximum(np.arange(100.0) - 40, 0), "reward.episode_return": rising(20, 400)}),
        # a full replay buffer whose samples grow older all the same
        run_of(
            {"data.staleness": ramp(500, 20_000, 50), "data.buffer_size": np.minimum(ramp(0, 1e7), 1e5)},
            {"algo": "dqn"},
        ),
    ]


def healthy():
    filling = np.minimum(np.linspace(0, 1e5, 100), 5e4)
    return [
        run_of({"data.staleness": noisy(4, 0.5)}),
        run_of({"data.staleness": ramp(0.1, 0.6, 0.02)}),
        # the first fill of an asynchronous pipeline
        run_of({"data.staleness": np.minimum(np.arange(100.0), 4)}),
        # actors that fetch weights now and then
        run_of({"data.staleness": np.arange(100.0) % 15}),
        run_of({"data.staleness": np.arange(100.0) % 40, "reward.episode_return": rising(20, 400)}),
        # as old, of a policy that hardly moves; and a policy that moves within fresh data
        run_of({"data.staleness": noisy(31, 1), "policy.kl": noisy(0.01, 0.002)}),
        run_of({"data.staleness": noisy(4, 0.5), "policy.kl": noisy(0.3, 0.02)}),
        # a replay buffer that fills up
        run_of({"data.staleness": filling / 2, "data.buffer_size": filling}, {"algo": "sac"}),
    ]


def test_a_replay_buffer_needs_its_size():
    assert isinstance(staleness_growing.rule.ask(run_of({"data.staleness": ramp(0, 9e4)}, {"algo": "sac"})), CannotTell)


def test_with_an_improving_return_it_is_worth_knowing():
    run = run_of({"data.staleness": ramp(1, 14, 0.3), "reward.episode_return": rising(20, 400)})
    assert staleness_growing.rule.ask(run).level is Level.INFO
