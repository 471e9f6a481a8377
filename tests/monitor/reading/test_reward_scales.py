"""Rewards that a running normaliser divides: what their targets were made of is known at ends too."""

from __future__ import annotations

import numpy as np

from tests.recoveries import continuous
from weaklink.base.reference.advantages import gae
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.reward_scales import undo_scales

GAMMA, LAM, BONUS = 0.99, 0.95, 40.0


def collect(continued: float = 0.0) -> tuple[TapeSteps, np.ndarray]:
    """A rollout of six members with a prize at each terminal, and what each of its targets took for the reward.

    The normaliser has moved on by a part of a per cent when it meets a terminal. Targets of terminals go on with the
    given part of the value that follows.
    """
    rng = np.random.default_rng(0)
    shape = (96, 6)
    ends = rng.random(shape) < 0.03
    raw = rng.normal(0.0, 0.3, shape) + BONUS * ends
    values = rng.normal(0.0, 1.0, shape)
    factors = 0.25 / (1.0 + 0.002 * np.arange(96))[:, None] * np.where(ends, 0.997, 1.0)
    paid = factors * raw + continued * GAMMA * np.concatenate([values[1:], values[:1]]) * ends
    nothing = np.zeros(shape, bool)
    targets = gae(paid, values, ends, nothing, rng.normal(0.0, 1.0, 6), GAMMA, LAM) + values
    rows = np.arange(paid.size).reshape(shape)
    return TapeSteps(raw, values, np.full(shape, np.nan), ends, nothing, targets, rows), paid


def test_a_prize_at_an_end_is_what_its_target_shows() -> None:
    steps, paid = collect()
    undone = undo_scales(steps)
    assert undone is not None
    found, fit = undone
    assert round(fit.gamma, 3) == GAMMA
    np.testing.assert_allclose(found.rewards[steps.terminated], paid[steps.terminated], rtol=1e-6)


def test_a_terminal_that_goes_on_is_left_as_it_is() -> None:
    steps, _ = collect(continued=1.0)
    undone = undo_scales(steps)
    assert undone is not None
    found = undone[0]
    apart = np.abs(found.targets - found.rewards)[steps.terminated]
    assert np.mean(apart > 0.2) > 0.5, "what terminals go on with must not be taken for a reward"


def scale_alone(backwards: bool = True) -> TapeSteps:
    """A rollout of one environment whose rewards are divided by the spread of its discounted returns so far."""
    rng = np.random.default_rng(1)
    shape = (512, 1)
    ends = (np.arange(512) % 100 == 99)[:, None]
    raw = -np.abs(np.cumsum(rng.normal(0.0, 0.3, 512)) % 6.0)[:, None] - 0.1
    values, nothing = rng.normal(0.0, 1.0, shape), np.zeros(shape, bool)
    returns = np.zeros(512 + 300)
    for time in range(1, len(returns)):
        returns[time] = 0.9 * returns[time - 1] + float(raw[time % 512, 0])
    paid = raw / np.array([returns[: 300 + time].std() for time in range(512)])[:, None]
    order = slice(None) if backwards else slice(None, None, -1)
    last = rng.normal(0.0, 1.0, 1)
    made = gae(paid[order], values[order], ends[order], nothing, last, GAMMA, LAM)[order]
    return TapeSteps(raw, values, np.full(shape, np.nan), ends, nothing, made + values, np.arange(512).reshape(shape))


def test_one_environment_tells_by_factors_that_hardly_move() -> None:
    undone = undo_scales(scale_alone())
    assert undone is not None
    assert abs(undone[1].gamma - GAMMA) < 2e-3
    assert abs(undone[1].lam - LAM) < 5e-3


def test_advantages_that_run_forwards_are_not_explained_by_factors() -> None:
    assert undo_scales(scale_alone(backwards=False)) is None


def test_rewards_over_a_mean_below_zero_are_flipped() -> None:
    (found,) = continuous("costs over their mean", 1).recovered.values
    assert found.source == "sign of the reward flipped"
    (right,) = continuous("costs, divided", 1).recovered.values
    assert right.source == ""
