"""Targets and weight of a critic's loss, from the gradients of real torch losses."""

from functools import cache

import numpy as np
import pytest

from tests.monitor.reading.ppo import Options, Truth, update
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.state_values import HUBER, SQUARE, ValueFit, fit_repeated

CASES = {
    "square": (Options(), SQUARE, 1.0),
    "clipped": (Options(value_loss="clipped"), SQUARE, 0.5),
    "huber": (Options(value_loss="huber", value_weight=1.0), HUBER, 1.0),
    "continuous": (Options(environment="Pendulum-v1", value_weight=0.25), SQUARE, 0.5),
}


@cache
def read(name: str) -> tuple[UpdateReading, Truth, ValueFit]:
    reading, truth = update(CASES[name][0])
    joined = join_calls(reading.of_head("critic"))
    fit = fit_repeated(joined.rows, joined.outputs[:, 0], joined.asked[:, 0])
    assert fit is not None
    return reading, truth, fit


@pytest.mark.parametrize("name", CASES)
def test_loss_and_weight_are_recognised(name: str) -> None:
    _, _, fit = read(name)
    _, loss, weight = CASES[name]
    assert fit.loss == loss
    assert fit.weight == pytest.approx(weight, rel=1e-4)
    assert fit.unexplained < 1e-4


@pytest.mark.parametrize("name", CASES)
def test_targets_are_those_of_the_trainer(name: str) -> None:
    reading, truth, fit = read(name)
    targets = fit.spread(reading.tape.rows)
    known = np.isfinite(targets)
    assert np.all(np.abs(targets - truth.returns)[known] < 1e-3 * truth.returns.std())
    assert known.mean() > (0.05 if name == "huber" else 0.99)


def test_the_limit_of_a_huber_loss_and_the_share_of_silent_rows_are_seen() -> None:
    assert read("huber")[2].limit == pytest.approx(1.0, rel=1e-4)
    assert read("clipped")[2].silent > 0.1
    assert read("square")[2].silent == 0.0
    assert read("square")[2].limit is None


def test_a_single_pass_tells_no_weight() -> None:
    reading, _ = update(Options(epochs=1, minibatch=512, steps=32))
    joined = join_calls(reading.of_head("critic"))
    assert fit_repeated(joined.rows, joined.outputs[:, 0], joined.asked[:, 0]) is None


def test_values_that_do_not_move_tell_no_weight() -> None:
    reading, _ = update(Options(rate=0.0, steps=32))
    joined = join_calls(reading.of_head("critic"))
    assert fit_repeated(joined.rows, joined.outputs[:, 0], joined.asked[:, 0]) is None
