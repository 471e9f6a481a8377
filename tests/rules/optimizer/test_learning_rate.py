from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.curves import noisy, run_of
from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT101")


def of_values(raw):
    """The settings of a learner whose curves tell that it learns values."""
    return replace(Config.of(raw), family="off-policy")


def sick():
    return [
        Config.of({"algo": "ppo", "learning_rate": 0.03}),
        Config.of({"algo": "SAC", "learning_rate": 1e-6}),
        Config.of({"algo": "grpo", "learning_rate": 0.01, "model_name_or_path": "some/model-3B"}),
        Config.of({"algo": "ppo", "learning_rate": 0.0}),
        # a network under the name of a table
        of_values({"algo": "Q-learning", "lr": 0.4, "batch_size": 64, "buffer_size": 10_000}),
        of_values({"algo": "Q-learning", "lr": 1e-4}),
        Config.of(
            {"algo": "ppo", "lr": 1e-4, "lr_schedule": [[0, 1e-4], [200_000, 0.0]], "total_timesteps": 1_000_000}
        ),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "learning_rate": 3e-4}),
        Config.of({"algo": "a2c", "learning_rate": 7e-4}),
        Config.of({"algo": "dqn", "learning_rate": 1e-4}),
        Config.of({"algo": "ppo", "learning_rate": "lin_2.5e-4"}),
        # a small network of one's own, which names no model
        Config.of({"algo": "grpo", "learning_rate": 0.002}),
        Config.of({"algo": "grpo", "learning_rate": 1e-6}),
        Config.of({"algo": "grpo", "learning_rate": 2e-4}),
        Config.of(
            {"algo": "ppo", "lr": 1e-4, "lr_schedule": [[0, 1e-4], [1_000_000, 0.0]], "total_timesteps": 1_000_000}
        ),
        Config.of({"algo": "ars", "learning_rate": 0.02}),
        # the step size of a table
        of_values({"algo": "Q-learning", "lr": 0.4}),
    ]


def test_groups_that_are_all_wrong_follow_from_a_rate_that_is_odd_on_paper():
    curves = {"reward.zero_spread_fraction": np.ones(60), "reward.mean": np.where(np.arange(60) % 20, 0.0, 0.01)}
    odd, usual = (diagnose(run_of(curves, {"algo": "grpo", "learning_rate": rate})) for rate in (0.1, 1e-5))
    assert (odd.first_break.code, usual.first_break.code) == ("OPT101", "LLM308")


@pytest.mark.parametrize(
    ("rate", "level"),
    [
        (0.03, Level.INFO),
        (0.0, Level.WARN),
        (-1e-3, Level.WARN),
        (3.0, Level.WARN),
        (1e-7, Level.WARN),
        (1e-6, Level.INFO),
    ],
)
def test_only_what_cannot_learn_is_an_alarm(rate, level):
    assert RULE.ask(Config.of({"algo": "ppo", "learning_rate": rate})).level is level


@pytest.mark.parametrize(
    "raw", [{"algo": "ppo"}, {"algo": "ppo", "lr": "schedule_fn"}, {"lr": 1e-3}, {"algo": "ppo", "lr": float("nan")}]
)
def test_says_what_is_missing(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)


def test_a_log_of_corrected_values_without_a_loss_is_that_of_a_table():
    curves = {"optimizer.learning_rate": np.full(100, 0.4), "exploration.epsilon": np.linspace(1, 0.05, 100)}
    table = {**curves, "value.td_error": np.linspace(2, 0.1, 100), "value.q_mean": np.linspace(0, 5, 100)}
    for rate in (0.4, 3e-4):
        assert RULE.ask(run_of({**table, "optimizer.learning_rate": np.full(100, rate)}).settings) is None
    for network in (
        curves,
        {**table, "value.q_loss": np.ones(100)},
        {**table, "optimizer.gradient_norm": np.ones(100)},
    ):
        assert RULE.ask(run_of(network).settings).level is Level.INFO


def test_the_rate_in_the_log_of_a_language_model_is_judged_like_one_in_its_settings():
    curves = {"reward.zero_spread_fraction": np.full(100, 0.2)}
    assert RULE.ask(run_of({**curves, "optimizer.learning_rate": np.full(100, 0.5)}).settings) is not None
    assert RULE.ask(run_of({**curves, "optimizer.learning_rate": np.full(100, 1e-6)}).settings) is None


def test_a_policy_that_does_not_move_bears_out_a_rate_that_is_too_small_and_none_that_is_too_large():
    curves = {
        "policy.kl": np.zeros(60),
        "policy.clip_fraction": np.zeros(60),
        "reward.episode_return": noisy(20, 1, points=60),
    }
    small, large = (diagnose(run_of(curves, {"algo": "ppo", "learning_rate": rate})) for rate in (1e-6, 0.02))
    told = [next(one for one in each.findings if one.code == "OPT101").message for each in (small, large)]
    assert ["The KL stays at 0" in message for message in told] == [True, False]
