from __future__ import annotations

import numpy as np
import pytest

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules.value.q_divergence import q_divergence


def exploding(end: float, points: int = 100) -> np.ndarray:
    return np.exp(np.linspace(0, np.log(end), points))


def sick():
    lost = {"reward.episode_return": noisy(20, 2), "task.episode_length": noisy(20, 2)}
    return [
        run_of({"value.q_mean": exploding(2.3e10), **lost}, {"gamma": 0.99}),
        run_of({"value.q_mean": -exploding(5e4), "reward.max": np.ones(100), "reward.min": -np.ones(100)}),
        run_of({"value.q_mean": exploding(1e6)}),  # nothing to compare with, but it multiplies itself to the end
    ]


def healthy():
    return [
        run_of({"value.q_mean": rising(0, 80), "reward.episode_return": rising(20, 480)}),
        run_of({"value.q_mean": rising(0, -40), "reward.episode_return": rising(-1200, -150)}, {"gamma": 0.99}),
    ]


@pytest.mark.parametrize(
    ("q", "curves", "config"),
    [
        # a solved HalfCheetah: 10 a step at gamma 0.99 allows 1,000 and more
        (1400, {"reward.episode_return": rising(0, 10_000), "task.episode_length": np.full(100, 1000.0)}, {}),
        (1400, {"reward.max": np.full(100, 15.0)}, {"gamma": 0.99}),
        (300, {"reward.episode_return": rising(20, 480)}, {}),
        (4000, {}, {}),  # settled, and nothing to compare with
        (3000, {"reward.episode_return": rising(5, 300)}, {"reward_scale": 5.0}),
    ],
)
def test_large_values_that_the_rewards_allow_are_worth_knowing(q, curves, config):
    found = q_divergence.rule.ask(run_of({"value.q_mean": rising(0, q), **curves}, config))
    assert found.level is Level.INFO


def test_names_the_bound_and_the_onset():
    run = run_of({"value.q_mean": ramp(0, 100_000), "reward.max": np.ones(100)}, {"gamma": 0.9})
    found = q_divergence.rule.ask(run)
    assert found.level is Level.WARN
    assert "allow about 10" in found.message
    assert found.onset == run["value.q_mean"].steps[1]


def test_a_table_that_diverges_without_changing_its_sign_has_its_discount_to_blame_and_a_network_has_not():
    curves = {"value.q_mean": exploding(1e30), "reward.episode_return": noisy(20, 2), "value.td_error": exploding(1e30)}
    assert q_divergence.rule.ask(run_of(curves)).link is Link.RETURNS
    jumps = {**curves, "value.q_mean": exploding(1e30) * np.where(np.arange(100) % 7 < 3, 1, -1)}
    network = {**curves, "value.q_loss": exploding(1e30)}
    assert [q_divergence.rule.ask(run_of(other)).link for other in (jumps, network)] == [Link.VALUE, Link.VALUE]
