from __future__ import annotations

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("RET101")


def sick():
    return [
        Config.of({"algo": "ppo", "gamma": 1.01}),
        Config.of({"algo": "dqn", "gamma": 99}),
        Config.of({"exp_name": "sac_continuous_action", "gamma": "1.2"}),
        Config.of({"algo": "td3", "discount": -0.99}),
        Config.of({"algo": "ppo", "gamma": 0.99, "gae_lambda": 1.95}),
        Config.of({"algorithm": "a2c", "agent": {"discount_factor": 1.5}}),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "gamma": 0.99, "gae_lambda": 0.95}),
        Config.of({"algo": "sac", "gamma": "0.9999"}),
        # tasks that always end need no discount, bandits no future
        Config.of({"algo": "ppo", "gamma": 1, "gae_lambda": 1.0}),
        Config.of({"algo": "dqn", "gamma": 0.0}),
        Config.of({"algo": "ppo", "gamma": 0.99, "gae_lambda": 0}),
        Config.of({"algo": "ppo", "gamma": 1.0 + 2e-16}),
        # a step of a schedule, the margin of a loss, a weight
        Config.of({"algo": "ppo", "gamma": 0.99, "scheduler": {"gamma": 10}}),
        Config.of({"algo": "dqn", "loss.focal.gamma": 2.0}),
        Config.of({"algo": "ppo", "gamma": 0.99, "lambda": 10.0}),
        Config.of({"algo": "dpo", "gamma": 1.6}),
        Config.of({"algo": "grpo", "gamma": 2.0, "gae_lambda": 2.0}),
        # nobody says what this gamma is
        Config.of({"kernel": "rbf", "gamma": 5.0}),
        Config.of({"algo": "sac", "gamma": True}),
        Config.of({"algo": "sac", "gamma": "auto"}),
    ]


def test_is_proof_and_names_every_number():
    answer = RULE.ask(Config.of({"algo": "ppo", "gamma": 1.01, "gae_lambda": -0.5}))
    assert answer.level is Level.ERROR
    assert answer.message == "In the configuration gamma is 1.01 and gae_lambda is -0.5, and must lie between 0 and 1."
    assert [(shown.metric, shown.limit) for shown in answer.evidence] == [("gamma", 1.0), ("gae_lambda", 0.0)]


def test_the_limits_can_be_set():
    config = Config.of({"algo": "ppo", "gamma": 0.9999})
    assert RULE.ask(config, {"highest": 0.999}).evidence[0].limit == 0.999
    assert RULE.ask(config) is None


@pytest.mark.parametrize(
    ("raw", "missing"), [({"gamma": 2.0}, ("algorithm",)), ({"algo": "ppo", "gae_lambda": "x"}, ("gamma",))]
)
def test_says_what_is_missing(raw, missing):
    answer = RULE.ask(Config.of(raw))
    assert isinstance(answer, CannotTell)
    assert answer.missing == missing
