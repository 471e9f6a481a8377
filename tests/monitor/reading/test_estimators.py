"""Gamma and lambda from the targets of real rollouts."""

from dataclasses import replace

import numpy as np
import pytest

from tests.monitor.reading.ppo import Options, Truth, update
from weaklink.base.evidence.update import Tape, UpdateReading
from weaklink.collect.monitor.reading.estimators import (
    TapeSteps,
    fit_steps,
    fit_trace,
    fit_trace_and_weight,
    settle_discount,
)
from weaklink.collect.monitor.reading.joined import join_calls

CASES = [
    Options(steps=64, epochs=1, minibatch=64),
    Options(steps=64, epochs=1, minibatch=256, gamma=0.99, lam=0.95),
    Options(environment="Acrobot-v1", steps=64, epochs=1, minibatch=256, gamma=0.99, lam=1.0),
    Options(environment="Pendulum-v1", steps=64, epochs=1, minibatch=128, gamma=0.9, lam=0.0),
]


def steps_of(tape: Tape, values: np.ndarray, targets: np.ndarray) -> TapeSteps:
    shape = (tape.times, tape.members)
    flags = tape.terminated.reshape(shape), tape.truncated.reshape(shape)
    return TapeSteps(
        tape.rewards.reshape(shape),
        values.reshape(shape),
        np.full(shape, np.nan),
        *flags,
        targets.reshape(shape),
        np.arange(tape.rows).reshape(shape),
    )


def once(reading: UpdateReading) -> tuple[np.ndarray, np.ndarray]:
    joined = join_calls(reading.of_head("critic"))
    values, asked = (np.full(reading.tape.rows, np.nan) for _ in range(2))
    values[joined.rows], asked[joined.rows] = joined.outputs[:, 0], joined.asked[:, 0]
    shape = (reading.tape.times, reading.tape.members)
    return values.reshape(shape), asked.reshape(shape)


@pytest.mark.parametrize("options", CASES)
def test_rates_and_weight_follow_from_rows_that_came_once(options: Options) -> None:
    reading, truth = update(options)
    fit = fit_trace_and_weight(steps_of(reading.tape, truth.values, truth.returns), *once(reading))
    assert fit is not None
    assert fit.gamma == pytest.approx(options.gamma, abs=1e-3)
    assert fit.lam == pytest.approx(options.lam, abs=1e-3)
    assert fit.weight == pytest.approx(1.0, rel=1e-3)
    assert not fit.off.any()


def test_ends_treated_in_another_way_leave_the_rates_alone() -> None:
    options = Options(steps=64, epochs=1, fault="ends ignored")
    reading, truth = update(options)
    fit = fit_trace(steps_of(reading.tape, truth.values, truth.returns))
    assert fit is not None
    assert (fit.gamma, fit.lam) == pytest.approx((options.gamma, options.lam), abs=1e-3)


def n_step(truth: Truth, tape: Tape, gamma: float, steps: int) -> np.ndarray:
    shape = (tape.times, tape.members)
    rewards, values = tape.rewards.reshape(shape), truth.values.reshape(shape)
    ended = (tape.terminated | tape.truncated).reshape(shape)
    targets = np.full(shape, np.nan)
    for member in range(shape[1]):
        for time in range(shape[0] - steps):
            if not ended[time : time + steps, member].any():
                discounts = gamma ** np.arange(steps)
                total = float(np.sum(discounts * rewards[time : time + steps, member]))
                targets[time, member] = total + gamma**steps * values[time + steps, member]
    return targets


def test_n_step_targets_are_no_trace_and_are_recognised() -> None:
    reading, truth = update(Options(steps=64, epochs=1))
    taken = steps_of(reading.tape, truth.values, n_step(truth, reading.tape, 0.97, 5))
    assert fit_trace(taken) is None
    fit = fit_steps(taken, (0.99, 0.97))
    assert fit is not None
    assert (fit.steps, fit.gamma) == (5, 0.97)


def test_targets_without_any_estimator_fit_nothing() -> None:
    reading, truth = update(Options(steps=64, epochs=1))
    noise = np.random.default_rng(0).normal(size=reading.tape.rows)
    taken = steps_of(reading.tape, truth.values, noise)
    assert fit_trace(taken) is None
    assert fit_steps(taken, (0.97,)) is None
    assert fit_trace(replace(taken, targets=np.full_like(taken.targets, np.nan))) is None


def test_standardised_targets_leave_two_discounts_unless_one_is_told() -> None:
    options = Options(environment="Pendulum-v1", steps=64, epochs=1, gamma=0.95, lam=0.9)
    reading, truth = update(options)
    # the values that the returns were made of are in the units of the rewards; those of a critic in standard units are
    # so many times as small
    targets = (truth.returns - truth.returns.mean()) / truth.returns.std()
    raw = steps_of(reading.tape, truth.values, targets)
    for steps in (raw, replace(raw, values=raw.values / truth.returns.std())):
        fit = fit_trace(steps, standardised=True)
        assert settle_discount(fit, None) is None
        settled = settle_discount(fit, options.gamma)
        assert settled is not None
        assert (settled.gamma, settled.lam) == pytest.approx((options.gamma, options.lam), abs=1e-3)
        assert settle_discount(fit, 0.5) is None
