from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP101")
DQN = {"algo": "dqn", "exploration_fraction": 0.1, "n_timesteps": 100_000}


def sick():
    return [
        Config.of({"algo": "ppo", "ent_coef": 0.0, "env": "CartPole-v1"}),
        Config.of({"algo": "a2c", "ent_coef": 0.005, "n_actions": 6}),
        Config.of({**DQN, "learning_starts": 50_000}),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "ent_coef": 0.01, "env": "CartPole-v1"}),
        Config.of({"algo": "ppo", "ent_coef": 0.0, "env": "Pendulum-v1"}),
        Config.of({"algo": "ppo", "ent_coef": 0.0, "env": "LunarLanderContinuous-v2"}),
        Config.of({"algo": "ppo", "ent_coef": 0.0, "action_dim": 6}),
        Config.of({"algo": "sac", "ent_coef": 0.005}),
        Config.of({"algo": "sac", "ent_coef": "auto"}),
        Config.of({"algo": "grpo", "ent_coef": 0.0}),
        Config.of({**DQN, "learning_starts": 1000}),
        Config.of({**DQN, "learning_starts": 0}),
    ]


def test_the_default_of_common_libraries_is_no_alarm():
    assert all(RULE.ask(config).level is Level.INFO for config in sick())


@pytest.mark.parametrize(
    ("raw", "level"),
    [
        ({"algo": "ppo", "ent_coef": 3.0}, Level.WARN),
        ({"algo": "a2c", "ent_coef": 3.0, "normalize_advantage": True}, Level.WARN),
        # advantages in the units of the returns may be as large
        ({"algo": "a2c", "ent_coef": 3.0}, Level.INFO),
    ],
)
def test_a_bonus_that_outweighs_the_returns(raw, level):
    assert RULE.ask(Config.of({**raw, "n_actions": 4})).level is level
    assert RULE.ask(Config.of({**raw, "n_actions": 4, "ent_coef": 0.2})) is None


def test_a_punished_entropy_is_an_alarm():
    assert RULE.ask(Config.of({"algo": "ppo", "ent_coef": -0.01, "n_actions": 4})).level is Level.WARN


@pytest.mark.parametrize("raw", [{"ent_coef": 0.0}, {"algo": "ppo"}, {"algo": "ppo", "ent_coef": 0.0}, DQN])
def test_says_what_is_missing(raw):
    assert isinstance(RULE.ask(Config.of(raw)), CannotTell)
