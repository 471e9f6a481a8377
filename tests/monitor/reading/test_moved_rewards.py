"""Rewards with a factor and an offset, and targets in units of their own: right ones are read, and accuse nobody."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.recoveries import ppo
from weaklink.base.evidence.recovered import LIMIT, NOTHING, OWN_NEXT, TERMINAL
from weaklink.base.reference.advantages import gae
from weaklink.collect.monitor.reading.continuing import read_ends
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.mistakes import LOST, name_scale
from weaklink.collect.monitor.reading.moved_rewards import find_units, fit_moved

GAMMA, LAM, RATES = 0.95, 0.9, {"gamma": 0.95}


def collect(factor: float = 1.0, offset: float = 0.0, continued: bool = False) -> TapeSteps:
    """A rollout of four members whose rewards were moved before their targets were made."""
    rng = np.random.default_rng(0)
    shape = (128, 4)
    terminated, nothing = rng.random(shape) < 0.03, np.zeros(shape, bool)
    raw, values = rng.normal(-700.0, 300.0, shape), rng.normal(0.0, 1.0, shape)
    paid, last = factor * raw + offset, rng.normal(0.0, 1.0, 4)
    targets = gae(paid, values, nothing if continued else terminated, nothing, last, GAMMA, LAM) + values
    return TapeSteps(raw, values, np.full(shape, np.nan), terminated, nothing, targets, np.arange(512).reshape(shape))


def tell_terminals(steps: TapeSteps) -> str:
    """What the targets of terminal steps go on with; empty where no line fits."""
    found = fit_moved(steps, RATES)
    ends = () if found is None else read_ends(found[0], found[1].gamma, found[1].lam)
    return next((end.goes_on_with for end in ends if end.place == TERMINAL), "")


def test_a_shaped_reward_is_read_with_its_ends() -> None:
    found = fit_moved(collect(0.002, 1.5), RATES)
    assert found is not None
    assert found[1].gamma == pytest.approx(GAMMA, abs=1e-6)
    assert found[1].lam == pytest.approx(LAM, abs=1e-6)
    assert (found[1].scale, found[1].offset) == pytest.approx((0.002, 1.5), abs=1e-4)
    assert tell_terminals(collect(0.002, 1.5)) == NOTHING


def test_ends_that_go_on_are_told_behind_a_shaped_reward() -> None:
    assert tell_terminals(collect(0.002, 1.5, continued=True)) not in ("", NOTHING)


def test_targets_in_units_of_their_own_end_with_nothing_too() -> None:
    plain = collect()
    mean, spread = float(plain.targets.mean()), float(plain.targets.std())
    # the same values and returns, both less the mean and over the spread of the returns
    normalised = replace(plain, values=(plain.values - mean) / spread, targets=(plain.targets - mean) / spread)
    assert tell_terminals(normalised) == NOTHING


def test_nothing_is_said_of_flipped_and_lost_rewards_or_of_another_discount() -> None:
    assert fit_moved(collect(-0.002, 1.5), RATES) is None
    assert fit_moved(collect(0.0, 1.5), RATES) is None
    assert fit_moved(collect(0.002, 1.5), {"gamma": 0.99}) is None


def test_a_ppo_whose_rewards_are_shaped_is_read_whole() -> None:
    (read,) = ppo(environment="Pendulum-v1", fault="rewards shaped", steps=256).recovered.values
    assert read.gamma == pytest.approx(0.97, abs=1e-4)
    assert read.lam == pytest.approx(0.9, abs=1e-4)
    assert read.scale == pytest.approx(0.1, abs=1e-4)
    assert read.source == ""
    assert (LIMIT, OWN_NEXT) in {(end.place, end.goes_on_with) for end in read.ends}


def test_a_tiny_factor_of_large_rewards_is_none_that_loses_them() -> None:
    assert name_scale(0.0005, part=0.2) == ""
    assert name_scale(1e-8, part=1e-6) == LOST


def test_other_units_are_told_from_other_answers() -> None:
    before = np.random.default_rng(1).normal(2.0, 0.5, 64)
    assert find_units(before, 0.25 * before - 1.0) == pytest.approx((0.25, -1.0), abs=1e-9)
    assert find_units(before, before) is None
    assert find_units(before, before**2) is None
    assert find_units(before, -before) is None
