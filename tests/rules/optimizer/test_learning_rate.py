from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT101")


def sick():
    return [
        Config.of({"algo": "ppo", "learning_rate": 0.03}),
        Config.of({"algo": "SAC", "learning_rate": 1e-6}),
        Config.of({"algo": "grpo", "learning_rate": 0.01}),
        Config.of({"algo": "ppo", "learning_rate": 0.0}),
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
        Config.of({"algo": "grpo", "learning_rate": 1e-6}),
        Config.of({"algo": "grpo", "learning_rate": 2e-4}),
        Config.of(
            {"algo": "ppo", "lr": 1e-4, "lr_schedule": [[0, 1e-4], [1_000_000, 0.0]], "total_timesteps": 1_000_000}
        ),
        Config.of({"algo": "ars", "learning_rate": 0.02}),
    ]


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
