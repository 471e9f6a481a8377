from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Provenance, Series
from weaklink.base.finding import CannotTell, Finding
from weaklink.base.loop import Link
from weaklink.judge.rules.value.value_scale import value_scale

AXIS = Provenance("value", "env_steps")


GOAL = {"reward.episode_return": np.minimum(rising(0.4, 1.1), 1.0), "task.episode_length": rising(36, 6, 0.3)}

PER_STEP = {"reward.episode_return": rising(20, 210), "task.episode_length": rising(20, 210)}

PAID = np.append(rising(18, 28, 1, points=50), rising(28, 11, 1, points=50))
FALLEN = {"reward.episode_return": PAID, "task.episode_length": PAID}


def sick():
    targets = {"returns.target_mean": noisy(60, 2), "returns.target_std": noisy(12, 1)}
    return [
        run_of({"value.mean": noisy(3, 0.5), **targets, "reward.episode_return": noisy(150, 5)}),
        run_of({"value.mean": noisy(-4, 0.3), "reward.min": np.zeros(100), "reward.max": np.ones(100)}),
        run_of({"value.q_mean": noisy(-30, 3), "reward.min": noisy(0.5, 0.1), "returns.target_mean": noisy(25, 2)}),
        run_of({"value.q_mean": rising(0, 40), "reward.episode_return": noisy(-200, 2)}),
        # every step pays, whatever the return becomes of it
        run_of({"value.mean": rising(0, -6.5, 0.2), **PER_STEP}),
        # a goal that pays 1 and ends the episode
        run_of({"value.q_mean": ramp(0, 9), **GOAL}),
        # the values go on rising while the returns fall
        run_of({"value.mean": ramp(0, 75), **FALLEN}),
    ]


def healthy():
    learning = {"returns.target_mean": rising(5, 60), "returns.target_std": noisy(12, 1)}
    return [
        run_of({"value.mean": rising(2, 59), **learning, "reward.episode_return": rising(20, 300)}),
        # a critic that lags behind while returns climb fast
        run_of(
            {
                "value.mean": ramp(0, 45, 1),
                "returns.target_mean": ramp(10, 62, 1),
                "returns.target_std": noisy(12, 1),
                "reward.episode_return": ramp(20, 400, 8),
            }
        ),
        # a solved task whose targets hardly vary
        run_of(
            {
                "value.mean": noisy(98.5, 0.1),
                "returns.target_mean": noisy(99, 0.1),
                "returns.target_std": noisy(0.02, 0.001),
            }
        ),
        run_of({"value.mean": noisy(-40, 1), "reward.min": noisy(-16, 1), "returns.target_mean": noisy(-42, 1)}),
        run_of({"value.q_mean": rising(0, 0.9), **GOAL}),
        run_of({"value.mean": noisy(-0.1, 0.05), **PER_STEP}),  # a critic that has hardly moved
        run_of({"value.mean": rising(0, 20), **PER_STEP}),
        # a critic that remembers a better policy
        run_of({"value.mean": ramp(0, 27), **FALLEN}),
        # rewards in other units than the returns: the values come to rest
        run_of({"value.q_mean": np.minimum(ramp(0, 30), 9.0), **GOAL}, {}),
        # episodes that only a time limit ends go on for the values
        run_of({"value.q_mean": ramp(0, 90), **GOAL, "task.episode_length": np.full(100, 10.0)}),
        # returns that are paid at the end: negative in all, but not from every state on
        run_of({"value.q_mean": rising(0, 40), "reward.episode_return": noisy(-200, 2), "reward.max": noisy(50, 1)}),
        # a soft critic counts entropy, which may be negative
        run_of(
            {"value.q_mean": noisy(-4, 0.3), "reward.min": np.zeros(100), "exploration.temperature": noisy(0.2, 0.01)}
        ),
    ]


def test_normalised_values_are_not_compared_with_raw_targets():
    curves = {"value.mean": noisy(0, 1), "returns.target_mean": noisy(60, 2), "returns.target_std": noisy(12, 1)}
    assert isinstance(value_scale.rule.ask(run_of(curves, {"normalize_value": True})), CannotTell)


def test_a_critic_of_ten_small_updates_is_not_judged_yet():
    early = {}
    for name, curve in {"value.mean": 0.7, "returns.target_mean": 3.4, "returns.target_std": 1.5}.items():
        early[name] = Series.of(name, 40 * np.arange(1, 13), noisy(curve, 0.05, points=12), provenance=AXIS)
    assert isinstance(value_scale(Run(name="made", series=early)), CannotTell)
    late = {name: replace(series, steps=100 * series.steps) for name, series in early.items()}
    assert value_scale(Run(name="made", series=late)) is not None


def test_a_soft_critic_above_zero_is_wrong_where_entropy_cannot_earn_it():
    told = {}
    for name, temperature in {"unearned": 0.01, "earned": 1.0}.items():
        curves = {
            "value.q_mean": rising(-20, 50), "reward.episode_return": rising(-200, -10),
            "exploration.temperature": [temperature] * 100, "exploration.entropy": noisy(0.6, 0.02),
        }  # fmt: skip
        found = value_scale.rule.ask(run_of(curves, {"algo": "sac", "gamma": 0.99, "total_steps": 200_000}))
        told[name] = isinstance(found, Finding)
    assert told == {"unearned": True, "earned": False}


def test_settled_values_of_the_wrong_sign_are_those_of_other_rewards():
    curves = {"reward.episode_return": ramp(-3000, -19000, 100), "task.episode_length": noisy(200, 0.1)}
    settled = {"value.td_error": 118 * np.exp(-np.linspace(0, 30, 100)), "value.q_mean": noisy(1171, 1)}
    found = value_scale.rule.ask(run_of({**curves, **settled}))
    assert isinstance(found, Finding)
    assert found.link is Link.REWARD
    found = value_scale.rule.ask(run_of({**curves, **settled, "value.td_error": noisy(50, 5)}))
    assert isinstance(found, Finding)
    assert found.link is Link.VALUE
    assert not isinstance(value_scale.rule.ask(run_of({**curves, **settled, "value.q_mean": noisy(-1171, 1)})), Finding)
