"""Which implied rewards are a change on purpose."""

import numpy as np

from weaklink.collect.monitor.reading.rewards import are_transformed

REWARDS = np.random.default_rng(0).normal(0.0, 2.0, 200)


def test_clipped_and_scaled_rewards_are_changed_on_purpose() -> None:
    for change in (lambda r: np.clip(r, -1.0, 1.0), np.sign, lambda r: 0.1 * r, lambda r: r + 1.0):
        assert are_transformed(REWARDS, change(REWARDS), 1e-6)


def test_lost_shifted_and_flipped_rewards_are_not() -> None:
    lost = np.where(np.arange(200) % 7 == 0, 0.0, REWARDS)
    for made in (lost, np.roll(REWARDS, 1), -REWARDS, np.abs(REWARDS), REWARDS):
        assert not are_transformed(REWARDS, made, 1e-6)
    constant = np.ones(200)
    assert not are_transformed(constant, np.where(np.arange(200) % 7 == 0, 0.0, 1.0), 1e-6)
    assert not are_transformed(constant, np.zeros(200), 1e-6)
